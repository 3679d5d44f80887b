// A client of the Language Server Protocol, for tests that drive a server as an editor does.

import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

/** Returns the URL of a path, which the protocol names files by. */
export const url = (path) => pathToFileURL(resolve(path)).href;

export class Client {
  #buffer = Buffer.alloc(0);
  #last = 0;
  #answers = new Map();
  #waiting = [];
  /** All notifications of the server, in their order. */
  notifications = [];

  /** Starts `program`. `answer` returns the result of a request of the server. */
  constructor(program, args, { cwd, env, answer = () => null } = {}) {
    this.answer = answer;
    this.process = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
    this.process.stdout.on("data", (data) => this.#receive(data));
  }

  async initialize(folder, capabilities, initializationOptions) {
    const rootUri = folder && url(folder);
    const workspaceFolders = folder ? [{ uri: rootUri, name: "test" }] : null;
    const params = { processId: process.pid, rootUri, workspaceFolders, capabilities, initializationOptions };
    const result = await this.request("initialize", params);
    this.notify("initialized", {});
    return result;
  }

  /** Sends a request. The promise is rejected if the server answers with an error. */
  request(method, params) {
    const id = ++this.#last;
    this.#send({ id, method, params });
    return new Promise((done, fail) => this.#answers.set(id, { done, fail }));
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  /** Waits for a notification, past or future, for which `matches` holds. */
  async waitFor(matches, name) {
    const past = this.notifications.find(matches);
    if (past) return past;
    return await new Promise((done, fail) => {
      const late = setTimeout(() => fail(new Error(`no notification within 2 minutes: ${name}`)), 120_000);
      this.#waiting.push({ matches, done: (message) => (clearTimeout(late), done(message)) });
    });
  }

  stop() {
    this.process.kill();
  }

  #send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.process.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #receive(data) {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    for (;;) {
      const end = this.#buffer.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(this.#buffer.subarray(0, end).toString())[1]);
      if (this.#buffer.length < end + 4 + length) return;
      this.#take(JSON.parse(this.#buffer.subarray(end + 4, end + 4 + length).toString()));
      this.#buffer = this.#buffer.subarray(end + 4 + length);
    }
  }

  #take(message) {
    if (message.method && message.id !== undefined) {
      this.#send({ id: message.id, result: this.answer(message) });
    } else if (message.method) {
      this.notifications.push(message);
      const ready = this.#waiting.filter(({ matches }) => matches(message));
      this.#waiting = this.#waiting.filter((entry) => !ready.includes(entry));
      for (const { done } of ready) done(message);
    } else {
      const { done, fail } = this.#answers.get(message.id);
      this.#answers.delete(message.id);
      if (message.error) fail(new Error(`${message.error.message} (${message.error.code})`));
      else done(message.result);
    }
  }
}
