/** The service cannot start as it is set up. `message` is one sentence for the operator, without secrets. */
export class StartRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartRefused';
  }
}
