// The entry of the extension: it starts the language server and the test explorer.

import * as vscode from "vscode";
import { ExecuteCommandRequest } from "vscode-languageclient";
import { LanguageClient, type Executable, type LanguageClientOptions } from "vscode-languageclient/node";

import { Explorer, type ListAnswer } from "./explorer";

/** The argument and the answer of the commands of lenses. */
interface CaseArgument {
  readonly uri: string;
  readonly name: string;
}

interface CommandAnswer {
  readonly name: string;
  readonly success: boolean;
  readonly output: string;
}

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("arraign", { log: true });
  const explorer = new Explorer(async (uri) => await askServer<ListAnswer>("arraign.list", { uri }));
  const restart = async () => {
    await client?.stop();
    client = createClient(explorer, output);
    await startClient(client, explorer);
  };
  context.subscriptions.push(
    output,
    explorer,
    vscode.commands.registerCommand("arraign.refresh", () => explorer.refresh()),
    vscode.commands.registerCommand("arraign.restart", restart),
  );
  await restart();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

function createClient(explorer: Explorer, output: vscode.LogOutputChannel): LanguageClient {
  const [command = "cargo", ...args] = vscode.workspace.getConfiguration("arraign").get<string[]>("command", []);
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server: Executable = { command, args: [...args, "lsp"], options: folder === undefined ? {} : { cwd: folder } };
  const languages = ["yaml", "json", "jsonl"];
  const options: LanguageClientOptions = {
    documentSelector: languages.map((language) => ({ scheme: "file", language })),
    outputChannel: output,
    middleware: {
      executeCommand: async (name, args, next) => {
        const [argument] = args as [CaseArgument | undefined];
        // The explorer shows the run, and the server sees its verdicts.
        if (name === "arraign.run" && argument && (await explorer.runTrial(argument.uri, argument.name))) return;
        const answer = (await next(name, args)) as CommandAnswer | undefined;
        if (answer && !answer.success) showOutput(output, answer);
        return answer;
      },
    },
  };
  return new LanguageClient("arraign", "arraign", server, options);
}

async function startClient(client: LanguageClient, explorer: Explorer): Promise<void> {
  try {
    await client.start();
  } catch (problem) {
    const reason = problem instanceof Error ? problem.message : String(problem);
    const help = "Is `cargo arraign` installed? The setting `arraign.command` names another program.";
    void vscode.window.showErrorMessage(`arraign's language server did not start: ${reason}. ${help}`);
    return;
  }
  await explorer.refresh();
}

async function askServer<Answer>(command: string, argument: { uri: string }): Promise<Answer> {
  if (!client) throw new Error("the language server does not run");
  return (await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] })) as Answer;
}

function showOutput(output: vscode.LogOutputChannel, { name, output: text }: CommandAnswer): void {
  output.appendLine(`${name}\n${text}`);
  output.show(true);
}
