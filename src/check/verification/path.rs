//! Paths as traces write them: absolute here, relative there.

use crate::pattern::WordSet;

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The extension of a path's last part, in lower case.
pub(super) fn extension(path: &str) -> String {
    let (_, extension) = file_name(path).rsplit_once('.').unwrap_or_default();
    extension.to_lowercase()
}

/// Whether a path is absolute, in the forms of all systems.
pub(super) fn is_absolute(path: &str) -> bool {
    let drive = path.get(1..3).is_some_and(|drive| drive == ":\\" || drive == ":/");
    drive || path.starts_with(['/', '~']) || path.starts_with("file://")
}

/// `path` as it is seen from `folder`.
pub(super) fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() || is_absolute(path) {
        return path.to_owned();
    }
    format!("{}/{path}", folder.trim_end_matches('/'))
}

/// Extensions of code and of build files, without documents and plain settings.
static CODE: WordSet = WordSet::new("
    asm astro bash bats c cc cjs clj cljs cpp cr cs css cts cu cxx d dart el elm erl ex exs f90 fs fsx go gradle graphql groovy h hbs
    hh hpp hrl hs htm html hxx ipynb java jl js jsx kt kts less lisp lua m mjs ml mli mm mts nim nix pas php pl pm proto
    ps1 py pyi pyx r rb rkt rs s sass scala scm scss sh sol sql svelte sv swift tcl tf ts tsx v vb vhd vue wat wgsl zig zsh");

/// Files that build the code, by name.
static BUILD_FILES: WordSet = WordSet::new("
    Makefile GNUmakefile CMakeLists.txt Dockerfile Jenkinsfile Rakefile Gemfile Cargo.toml pyproject.toml setup.cfg
    package.json tsconfig.json go.mod pom.xml build.xml meson.build BUILD BUILD.bazel WORKSPACE");

/// Whether a change of the file can break the tests.
pub(super) fn is_code(path: &str) -> bool {
    CODE.contains(extension(path).as_str()) || BUILD_FILES.contains(file_name(path))
}

/// Whether the path is a place for temporary files, which need not be read back.
pub(super) fn is_scratch(path: &str) -> bool {
    let parked = ["/dev/", "/tmp/", "/var/tmp/", "/private/tmp/", "/proc/", "$"]
        .iter()
        .any(|start| path.starts_with(start));
    parked || path.is_empty() || path == "-"
}

/// Splits a path into its parts, last first, and resolves `.` and `..` where possible.
pub(super) fn parts(path: &str) -> Vec<String> {
    let path = path.trim().trim_start_matches("file://");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split(['/', '\\']) {
        // `..` above the start of a relative path is dropped: the folder around it is unknown.
        match part {
            "" | "." | "~" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.into_iter().rev().map(str::to_owned).collect()
}

/// `./gradlew`, `C:\bin\mvn.cmd`, `python3.12`, `Get-Content`: the name in the tables.
pub(super) fn program_name(word: &str) -> String {
    let name = file_name(word);
    // The ending is that of Windows.
    let name = [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let is_python = name
        .strip_prefix("python")
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'));
    match name {
        _ if is_python => "python".to_owned(),
        // A verb and a noun. Case does not count.
        cmdlet if cmdlet.contains('-') => cmdlet.to_ascii_lowercase(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_last_first() {
        assert_eq!(parts("/repo/./src/../lib/a.rs"), ["a.rs", "lib", "repo"]);
        assert_eq!(parts("C:\\repo\\a.rs"), ["a.rs", "repo", "C:"]);
        assert_eq!((extension("a/B.PY").as_str(), file_name("a/b")), ("py", "b"));
        assert_eq!((join("app", "a").as_str(), join("app/", "/a").as_str()), ("app/a", "/a"));
    }
}
