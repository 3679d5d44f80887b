//! Secrets whose issuers gave them a shape: a prefix, an alphabet and a length.
//!
//! The facts are those of gitleaks' public rules (<https://github.com/gitleaks/gitleaks>, `config/gitleaks.toml`, July 2026),
//! and for Groq, Replicate, xAI, Hugging Face and Google's OAuth those that the issuers' documentation shows. A length is the
//! shortest: a longer run of the alphabet is masked as a whole, because the rest would be the rest of a secret.

use std::ops::Range;

use super::runs::{Alphabet, SecretScan};
use Alphabet::{Alphanumeric, Base64, Capitals, Dotted, Hex, Path, Word};

/// A shape that begins with a prefix.
pub(super) struct IssuedShape {
    pub(super) name: &'static str,
    pub(super) prefix: &'static str,
    /// The characters after the prefix.
    alphabet: Alphabet,
    /// The smallest number of these characters.
    least: usize,
    /// The largest, if a longer run is another thing.
    most: usize,
    /// Whether the prefix may be in the middle of a word: it is in no other word.
    anywhere: bool,
    /// Whether one of the characters is a digit: the prefix begins other words as well.
    has_digit: bool,
}

/// A prefix that occurs in no other text.
const fn shape(name: &'static str, prefix: &'static str, alphabet: Alphabet, least: usize) -> IssuedShape {
    IssuedShape { name, prefix, alphabet, least, most: usize::MAX, anywhere: true, has_digit: false }
}

/// A short prefix, which must begin a word, and is followed by a digit somewhere.
const fn short(name: &'static str, prefix: &'static str, alphabet: Alphabet, least: usize) -> IssuedShape {
    IssuedShape { anywhere: false, has_digit: true, ..shape(name, prefix, alphabet, least) }
}

/// A short prefix with a tail of this length, neither shorter nor longer.
const fn exact(name: &'static str, prefix: &'static str, alphabet: Alphabet, length: usize) -> IssuedShape {
    IssuedShape { most: length, ..short(name, prefix, alphabet, length) }
}

pub(super) const ISSUED: &[IssuedShape] = &[
    short("an API key", "sk-", Word, 16),
    shape("a Stripe key", "sk_live_", Alphanumeric, 10),
    shape("a Stripe key", "sk_test_", Alphanumeric, 10),
    shape("a Stripe key", "sk_prod_", Alphanumeric, 10),
    shape("a Stripe key", "rk_live_", Alphanumeric, 10),
    shape("a Stripe key", "rk_test_", Alphanumeric, 10),
    shape("a Stripe key", "rk_prod_", Alphanumeric, 10),
    shape("a webhook's secret", "whsec_", Base64, 24),
    short("an AWS access key", "AKIA", Capitals, 16),
    short("an AWS access key", "ASIA", Capitals, 16),
    short("an AWS access key", "ABIA", Capitals, 16),
    short("an AWS access key", "ACCA", Capitals, 16),
    shape("an AWS Bedrock key", "ABSK", Base64, 109),
    shape("an Alibaba access key", "LTAI", Alphanumeric, 20),
    shape("a GitHub token", "ghp_", Alphanumeric, 30),
    shape("a GitHub token", "gho_", Alphanumeric, 30),
    shape("a GitHub token", "ghu_", Alphanumeric, 30),
    shape("a GitHub token", "ghs_", Alphanumeric, 30),
    shape("a GitHub token", "ghr_", Alphanumeric, 30),
    shape("a GitHub token", "github_pat_", Word, 22),
    shape("a GitLab token", "glpat-", Dotted, 20),
    shape("a GitLab token", "gldt-", Word, 20),
    shape("a GitLab token", "glft-", Word, 20),
    shape("a GitLab token", "glrt-", Dotted, 20),
    shape("a GitLab token", "glptt-", Hex, 40),
    shape("a GitLab token", "glcbt-", Word, 20),
    shape("a GitLab token", "glsoat-", Word, 20),
    shape("a GitLab token", "glffct-", Word, 20),
    shape("a GitLab token", "glimt-", Word, 25),
    shape("a GitLab token", "glagent-", Word, 50),
    shape("a GitLab token", "gloas-", Word, 64),
    shape("a GitLab token", "GR1348941", Word, 20),
    shape("a Slack token", "xoxa-", Word, 10),
    shape("a Slack token", "xoxb-", Word, 10),
    shape("a Slack token", "xoxe-", Word, 10),
    shape("a Slack token", "xoxe.", Dotted, 10),
    shape("a Slack token", "xoxo-", Word, 10),
    shape("a Slack token", "xoxp-", Word, 10),
    shape("a Slack token", "xoxr-", Word, 10),
    shape("a Slack token", "xoxs-", Word, 10),
    shape("a Slack token", "xapp-", Word, 10),
    shape("a Slack webhook", "hooks.slack.com/services/", Path, 20),
    shape("a Slack webhook", "hooks.slack.com/workflows/", Path, 20),
    shape("a Slack webhook", "hooks.slack.com/triggers/", Path, 20),
    shape("a Discord webhook", "discord.com/api/webhooks/", Path, 40),
    shape("a Discord webhook", "discordapp.com/api/webhooks/", Path, 40),
    shape("a Teams webhook", "webhook.office.com/webhookb2/", Path, 40),
    shape("a Google API key", "AIza", Word, 30),
    shape("a Google access token", "ya29.", Dotted, 20),
    short("a Google refresh token", "1//0", Word, 30),
    shape("a Google client secret", "GOCSPX-", Word, 20),
    shape("an npm token", "npm_", Alphanumeric, 30),
    shape("a PyPI token", "pypi-AgE", Word, 50),
    shape("a RubyGems token", "rubygems_", Hex, 48),
    shape("a Clojars token", "CLOJARS_", Alphanumeric, 60),
    shape("a crates.io token", "cio", Alphanumeric, 32).in_words(),
    shape("a Hugging Face token", "hf_", Alphanumeric, 30).in_words(),
    shape("a Hugging Face token", "api_org_", Alphanumeric, 34),
    short("a Groq key", "gsk_", Alphanumeric, 32),
    short("an xAI key", "xai-", Alphanumeric, 48),
    shape("a Perplexity key", "pplx-", Alphanumeric, 40),
    short("a Replicate token", "r8_", Alphanumeric, 30),
    short("an NVIDIA key", "nvapi-", Word, 40),
    short("a Databricks token", "dapi", Hex, 32),
    shape("a SendGrid key", "SG.", Dotted, 40).in_words(),
    exact("a Twilio key", "SK", Hex, 32),
    shape("a Vault token", "hvs.", Word, 24).in_words(),
    shape("a Vault token", "hvb.", Word, 100).in_words(),
    shape("a Vault token", "hvr.", Word, 24).in_words(),
    exact("a Vault token", "s.", Alphanumeric, 24),
    shape("a Terraform token", ".atlasv1.", Base64, 60),
    shape("a DigitalOcean token", "dop_v1_", Hex, 64),
    shape("a DigitalOcean token", "doo_v1_", Hex, 64),
    shape("a DigitalOcean token", "dor_v1_", Hex, 64),
    shape("a Shopify token", "shpat_", Hex, 32),
    shape("a Shopify token", "shpca_", Hex, 32),
    shape("a Shopify token", "shppa_", Hex, 32),
    shape("a Shopify secret", "shpss_", Hex, 32),
    shape("a Linear key", "lin_api_", Alphanumeric, 32),
    shape("a Linear token", "lin_oauth_", Alphanumeric, 32),
    shape("a Notion token", "ntn_", Alphanumeric, 40),
    short("a Notion token", "secret_", Alphanumeric, 40),
    shape("an age key", "AGE-SECRET-KEY-1", Capitals, 58),
    shape("an Atlassian token", "ATATT3", Base64, 100),
    shape("a 1Password token", "ops_eyJ", Base64, 100),
    shape("a Doppler token", "dp.pt.", Alphanumeric, 40),
    shape("a Fly.io token", "fo1_", Word, 43),
    shape("a Fly.io token", "fm2_", Base64, 100),
    shape("a Grafana key", "eyJrIjoi", Base64, 70),
    shape("a Grafana token", "glc_", Base64, 32).in_words(),
    shape("a Grafana token", "glsa_", Word, 41),
    shape("a Heroku key", "HRKU-AA", Word, 58),
    shape("a New Relic key", "NRAK-", Alphanumeric, 27),
    shape("a New Relic key", "NRII-", Word, 32),
    shape("a PlanetScale token", "pscale_tkn_", Dotted, 32),
    shape("a PlanetScale token", "pscale_oauth_", Dotted, 32),
    shape("a PlanetScale password", "pscale_pw_", Dotted, 32),
    shape("a Postman key", "PMAK-", Word, 59),
    shape("a Prefect token", "pnu_", Alphanumeric, 36),
    shape("a Pulumi token", "pul-", Hex, 40),
    shape("a Sentry token", "sntryu_", Hex, 64),
    shape("a Sentry token", "sntrys_", Base64, 60),
    shape("a Sendinblue key", "xkeysib-", Word, 64),
    shape("a Shippo token", "shippo_live_", Hex, 40),
    shape("a Shippo token", "shippo_test_", Hex, 40),
    shape("a Sourcegraph token", "sgp_", Word, 40),
    shape("a Square token", "sq0atp-", Word, 22),
    shape("a Square secret", "sq0csp-", Word, 40),
    shape("a Typeform token", "tfp_", Dotted, 40),
    shape("an Artifactory key", "AKCp", Alphanumeric, 69),
    shape("an OpenShift token", "sha256~", Word, 43),
    shape("a Docker token", "dckr_pat_", Word, 20),
    shape("a Tailscale key", "tskey-", Word, 20),
    shape("a Pinecone key", "pcsk_", Word, 40),
];

impl IssuedShape {
    /// The same shape, which must begin a word: its prefix ends other words.
    const fn in_words(self) -> Self {
        Self { anywhere: false, ..self }
    }

    /// Returns the bytes of the secret, of which the prefix was found at `prefix`.
    pub(super) fn measure(&self, scan: &mut SecretScan<'_>, prefix: Range<usize>) -> Option<Range<usize>> {
        if scan.text[prefix.clone()] != *self.prefix || !(self.anywhere || scan.begins_word(prefix.start)) {
            return None;
        }
        let tail = prefix.end;
        let end = scan.find_run_end(self.alphabet, tail);
        let fits = (self.least..=self.most).contains(&(end - tail));
        let has_digit = !self.has_digit || scan.has_digit(self.alphabet, tail);
        // A tail of a fixed length is no part of a longer word.
        let is_whole =
            self.most == usize::MAX || !scan.byte(end).is_some_and(|next| next.is_ascii_alphanumeric());
        (fits && has_digit && is_whole).then_some(prefix.start..end)
    }
}

/// Returns the JSON web token that begins at `start`: two or three parts, of which the first two are JSON objects.
pub(super) fn measure_web_token(scan: &mut SecretScan<'_>, start: usize) -> Option<Range<usize>> {
    /// The longest header.
    const MAX_HEADER: usize = 4096;
    if !scan.begins_word(start) {
        return None;
    }
    let end = scan.find_run_end(Dotted, start);
    let header = scan.text[start..end.min(start + MAX_HEADER)].find('.')?;
    let payload = &scan.text[start + header + 1..end];
    let is_token = header >= 10 && payload.starts_with("ey") && payload.len() >= 10;
    is_token.then_some(start..end)
}

/// Returns the token of a Telegram bot around `middle`, the `:AA` between its number and its key.
pub(super) fn measure_bot_token(scan: &mut SecretScan<'_>, middle: Range<usize>) -> Option<Range<usize>> {
    if scan.text[middle.clone()] != *":AA" {
        return None;
    }
    let bytes = &scan.text.as_bytes()[..middle.start];
    let digits = bytes.iter().rev().take(17).take_while(|byte| byte.is_ascii_digit()).count();
    let end = scan.find_run_end(Word, middle.end);
    let length = end - middle.end;
    ((5..=16).contains(&digits) && (30..=40).contains(&length)).then_some(middle.start - digits..end)
}

/// Returns the token of a Discord bot around the point at `point`: a number in Base64, six characters of a time, and a key.
pub(super) fn measure_discord_token(scan: &mut SecretScan<'_>, point: usize) -> Option<Range<usize>> {
    const TIME: usize = 6;
    if scan.byte(point + 1 + TIME) != Some(b'.') {
        return None;
    }
    let bytes = scan.text.as_bytes();
    let number = bytes[..point].iter().rev().take(29).take_while(|byte| Word.contains(**byte)).count();
    let key = point + TIME + 2;
    let has_time = bytes[point + 1..key - 1].iter().all(|byte| Word.contains(*byte));
    // The number of a bot begins with a digit from 1 to 9, which Base64 writes as one of these letters.
    let begins = matches!(bytes[point - number], b'M' | b'N' | b'O');
    let end = scan.find_run_end(Word, key);
    let fits = (23..=28).contains(&number) && (25..=45).contains(&(end - key));
    (has_time && begins && fits).then_some(point - number..end)
}

/// Returns the client secret of Azure around `mark`, the `Q~` in its middle.
pub(super) fn measure_azure_secret(scan: &mut SecretScan<'_>, mark: Range<usize>) -> Option<Range<usize>> {
    let start = mark.start.checked_sub(4)?;
    let bytes = scan.text.as_bytes();
    let has_start = bytes[start..mark.start].iter().all(|byte| Dotted.contains(*byte) || *byte == b'~');
    let tail = bytes[mark.end..].iter().take_while(|byte| Dotted.contains(**byte) || **byte == b'~');
    let length = tail.take(35).count();
    (scan.text[mark.clone()] == *"Q~" && has_start && bytes[mark.start - 1].is_ascii_digit() && length >= 31)
        .then(|| start..mark.end + length)
}
