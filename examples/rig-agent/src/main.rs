//! The agent on a command line: `rig-agent [--stream] QUESTION`. Without a question, it reads the object that arraign writes.

use std::env;
use std::io::stdin;

use rig::agent::stream_to_stdout;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (options, words): (Vec<String>, Vec<String>) = env::args().skip(1).partition(|word| word == "--stream");
    let question = match words.join(" ") {
        words if words.is_empty() => {
            let input: serde_json::Value = serde_json::from_reader(stdin())?;
            input["query"].as_str().unwrap_or_default().to_owned()
        }
        words => words,
    };
    let base_url = env::var("OPENAI_BASE_URL").unwrap_or_else(|_| "https://api.openai.com/v1".to_owned());
    let agent = rig_example::build(&base_url, &env::var("OPENAI_API_KEY")?)?;
    let asked = agent.prompt(question).max_turns(rig_example::MAX_TURNS);
    if options.is_empty() {
        println!("{}", asked.run().await?.output());
    } else {
        stream_to_stdout(&mut asked.stream()).await?;
        println!();
    }
    Ok(())
}
