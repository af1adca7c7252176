/** `COPY` for an open `pg` client. The `pg` package has no `COPY`, but passes protocol messages to a query object. */
class Copy {
  parts = [];

  constructor(text, input) {
    this.text = text;
    this.input = input;
    this.done = new Promise((resolve, reject) => {
      this.handleReadyForQuery = () => resolve(Buffer.concat(this.parts));
      this.handleError = reject; // pg calls no other handler after an error
    });
  }

  submit(connection) {
    connection.query(this.text);
  }

  handleCopyInResponse(connection) {
    connection.sendCopyFromChunk(this.input);
    connection.endCopyFrom();
  }

  handleCopyData({ chunk }) {
    this.parts.push(Buffer.from(chunk)); // pg reuses its buffer
  }

  handleCommandComplete() {}
}

/** Returns the rows of a query in COPY text format. */
export function copyOut(client, query) {
  return run(client, `copy (${query}) to stdout`);
}

/** Inserts rows in COPY text format. */
export async function copyIn(client, table, rows) {
  await run(client, `copy ${table} from stdin`, rows);
}

function run(client, text, input) {
  const copy = new Copy(text, input);
  client.query(copy);
  return copy.done;
}
