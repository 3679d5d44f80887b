//! How clients and providers of others use connections and addresses.

use super::{RECORD, project, replies, run};
use crate::server::Server;

#[test]
fn a_connection_that_a_provider_may_close_is_not_used_again() {
    for form in ["", " streamed"] {
        let server = Server::new(|asked, number| replies::reply(asked, number).kept_open());
        run(&project(&format!("chat{form}"), &server), &[RECORD]).exits(0);
        assert_eq!(server.asked().len(), 2);
    }
}
