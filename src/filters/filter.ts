/** The immutable tree of a parsed filter. */
export interface Filter {
  readonly kind: string;
}
