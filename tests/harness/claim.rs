//! A test that is a function, as a trial of libtest-mimic.

use libtest_mimic::Trial;

/// A trial called by its function's path: `exits::a_green_run_is_0`.
pub(crate) fn claim<F: Fn() + Send + 'static>(test: F) -> Trial {
    let path = std::any::type_name::<F>();
    let name = path.split_once("::").map_or(path, |(_, name)| name);
    Trial::test(name, move || {
        test();
        Ok(())
    })
}
