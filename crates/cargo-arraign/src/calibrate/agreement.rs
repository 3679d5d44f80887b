//! The agreement of a judge with people.

/// Counts of the labels by people against the verdicts of a judge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Agreement {
    /// Both pass.
    pub(super) both_pass: u32,
    /// Both fail.
    pub(super) both_fail: u32,
    /// The label is fail and the judge passes: the judge is too lenient.
    pub(super) too_easy: u32,
    /// The label is pass and the judge fails: the judge is too strict.
    pub(super) too_hard: u32,
}

impl Agreement {
    /// Counts one example.
    pub(super) fn add_example(&mut self, label: bool, judged: bool) {
        let cell = match (label, judged) {
            (true, true) => &mut self.both_pass,
            (false, false) => &mut self.both_fail,
            (false, true) => &mut self.too_easy,
            (true, false) => &mut self.too_hard,
        };
        *cell += 1;
    }

    /// Returns the number of examples.
    pub(super) fn count_examples(&self) -> u32 {
        self.both_pass + self.both_fail + self.too_easy + self.too_hard
    }

    /// Returns the share of examples on which label and judge agree. `None` without examples.
    pub(super) fn agreed_share(&self) -> Option<f64> {
        let all = self.count_examples();
        (all > 0).then(|| f64::from(self.both_pass + self.both_fail) / f64::from(all))
    }

    /// Computes Cohen's kappa: the agreement beyond chance, where chance knows only how often each side passes an
    /// example. `None` if chance alone agrees on everything: all labels and verdicts are the same.
    pub(super) fn compute_kappa(&self) -> Option<f64> {
        let all = f64::from(self.count_examples());
        let agreed = self.agreed_share()?;
        // Two independent raters that pass examples as often as these agree by chance on this share.
        let labels = f64::from(self.both_pass + self.too_hard) / all;
        let verdicts = f64::from(self.both_pass + self.too_easy) / all;
        let chance = labels * verdicts + (1.0 - labels) * (1.0 - verdicts);
        (chance < 1.0).then(|| (agreed - chance) / (1.0 - chance))
    }

    /// Returns the name of the kappa's range (Landis and Koch).
    pub(super) fn describe_kappa(&self) -> Option<&'static str> {
        let kappa = self.compute_kappa()?;
        let ranges = [(0.0, "none"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial")];
        let name = ranges.iter().find(|(most, _)| kappa <= *most).map(|(_, name)| *name);
        Some(name.unwrap_or("almost perfect"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_is_that_of_the_textbook() {
        // The example of Cohen's kappa that the textbooks print: 20 and 15 of 50 agree, 5 and 10 do not.
        let agreement = Agreement { both_pass: 20, too_hard: 5, too_easy: 10, both_fail: 15 };
        assert_eq!(agreement.agreed_share(), Some(0.7));
        assert!((agreement.compute_kappa().expect("a kappa") - 0.4).abs() < 1e-12);
        assert_eq!(agreement.describe_kappa(), Some("fair"));
    }

    #[test]
    fn agreement_by_chance_alone_is_told_as_none() {
        assert_eq!(Agreement::default().compute_kappa(), None);
        assert_eq!(Agreement { both_pass: 9, ..Agreement::default() }.compute_kappa(), None);
        let always_yes = Agreement { both_pass: 9, too_easy: 1, ..Agreement::default() };
        assert_eq!((always_yes.compute_kappa(), always_yes.describe_kappa()), (Some(0.0), Some("none")));
        let always_wrong = Agreement { too_hard: 5, too_easy: 5, ..Agreement::default() };
        assert_eq!(always_wrong.compute_kappa(), Some(-1.0));
    }
}
