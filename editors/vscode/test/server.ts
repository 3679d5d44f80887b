// A session with the real server, and a folder of cases.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import {
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  ExecuteCommandRequest,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  PublishDiagnosticsNotification,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type Diagnostic,
  type ProtocolConnection,
} from "vscode-languageserver-protocol/node";

const PROGRAM = process.env["SERVER_PROGRAM"] ?? resolve("../../target/debug/cargo-arraign");

export const CASES = `tests:
  - id: asks first
    trace: {calls: [get_order, refund]}
    expect:
      - required_tools: [get_order]
  - id: no_refund
    tags: [money]
    trace: {calls: [get_order, refund]}
    expect:
      - forbidden_tools: [refund]
      - contains: {value: Sorry}
  - id: later
    ignore: not yet
    trace: {calls: [get_order]}
    expect:
      - required_tools: [get_order]
`;

export class Session {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "arraign-")));
  readonly #connection: ProtocolConnection;
  readonly #published: { uri: string; diagnostics: Diagnostic[] }[] = [];
  #looksFor: (() => void) | undefined;

  constructor(files: Readonly<Record<string, string>>) {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
    const env = { ...process.env };
    delete env["ARRAIGN_OUT"];
    delete env["CARGO_TARGET_DIR"];
    const server = spawn(PROGRAM, ["lsp"], { cwd: this.folder, env, stdio: ["pipe", "pipe", "inherit"] });
    const reader = new StreamMessageReader(server.stdout);
    this.#connection = createProtocolConnection(reader, new StreamMessageWriter(server.stdin));
    this.#connection.onNotification(PublishDiagnosticsNotification.type, (found) => {
      this.#published.push(found);
      this.#looksFor?.();
    });
    this.#connection.listen();
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  uri(name: string): string {
    return pathToFileURL(this.path(name)).href;
  }

  async start(): Promise<this> {
    const workspaceFolders = [{ uri: this.uri(""), name: "test" }];
    const parameters = { processId: process.pid, rootUri: this.uri(""), capabilities: {}, workspaceFolders };
    await this.#connection.sendRequest(InitializeRequest.type, parameters);
    await this.#connection.sendNotification(InitializedNotification.type, {});
    return this;
  }

  async open(name: string, text: string): Promise<void> {
    const textDocument = { uri: this.uri(name), languageId: "yaml", version: 1, text };
    await this.#connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  }

  async execute<Answer>(command: string, argument: unknown): Promise<Answer> {
    const parameters = { command, arguments: [argument] };
    return (await this.#connection.sendRequest(ExecuteCommandRequest.type, parameters)) as Answer;
  }

  /** Waits for diagnostics of the file for which `matches` holds. */
  async waitForDiagnostics(name: string, matches: (found: Diagnostic[]) => boolean): Promise<Diagnostic[]> {
    for (;;) {
      const last = this.#published.filter(({ uri }) => uri === this.uri(name)).at(-1);
      if (last && matches(last.diagnostics)) return last.diagnostics;
      await new Promise<void>((done) => (this.#looksFor = done));
    }
  }

  async end(): Promise<void> {
    await this.#connection.sendRequest(ShutdownRequest.type);
    await this.#connection.sendNotification(ExitNotification.type);
    this.#connection.dispose();
    rmSync(this.folder, { recursive: true });
  }
}
