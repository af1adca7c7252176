/**
 * `COPY` over an open `pg` client, which has none of its own: out of the database as one buffer, or into it. A query of
 * `pg` is an object that the connection hands its messages to.
 */
class Copy {
  parts = [];

  constructor(text, input) {
    this.text = text;
    this.input = input;
    this.done = new Promise((resolve, reject) => {
      this.handleReadyForQuery = () => resolve(Buffer.concat(this.parts));
      this.handleError = reject; // no other handler is called afterwards
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
    this.parts.push(Buffer.from(chunk)); // its buffer is used again
  }

  handleCommandComplete() {}
}

/** The rows of a query, in the text format of COPY. */
export function copyOut(client, query) {
  return run(client, `copy (${query}) to stdout`);
}

/** Puts rows in the text format of COPY into a table. */
export async function copyIn(client, table, rows) {
  await run(client, `copy ${table} from stdin`, rows);
}

function run(client, text, input) {
  const copy = new Copy(text, input);
  client.query(copy);
  return copy.done;
}
