import type { LecternClient } from '../client.js';
import type { MetadataValues } from '../types.js';
import { Store } from './store.js';

export type FacetValue = MetadataValues['values'][number]['value'];

export interface FacetsOptions {
  /** Names of the fields to filter by; unset: the first five that the documents have. */
  readonly fields?: readonly string[];
  /** A filter that always holds. */
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly folder_name?: string[];
  readonly folder_depth?: number;
}

export interface Facet {
  readonly name: string;
  /** The most frequent first. The counts follow what is chosen of other fields. */
  readonly values: readonly {
    readonly value: FacetValue;
    readonly count: number;
    readonly isChosen: boolean;
  }[];
}

export interface ShownFacets {
  readonly facets: readonly Facet[];
  /** The filter of what is chosen, for lists, searches and questions. */
  readonly filters: Readonly<Record<string, unknown>>;
  readonly isLoading: boolean;
  readonly error: unknown;
}

type Chosen = Readonly<Record<string, readonly FacetValue[]>>;

const FIELDS = 5;

/** The choices of a filter, with counts. */
export class FacetStore extends Store<ShownFacets> {
  private chosen: Chosen = {};
  private loading: AbortController | null = null;

  constructor(
    private client: LecternClient,
    private options: FacetsOptions = {},
  ) {
    super({ facets: [], filters: options.filters ?? {}, isLoading: true, error: null });
  }

  /** Counts anew, if the options differ. */
  configure(client: LecternClient, options: FacetsOptions): void {
    const isSame = client === this.client && JSON.stringify(options) === JSON.stringify(this.options);
    this.client = client;
    this.options = options;
    if (!isSame && this.loading !== null) this.choose(this.chosen);
  }

  /** Counts until `close`. */
  readonly open = (): void => {
    void this.load();
  };

  readonly close = (): void => {
    this.loading?.abort();
    this.loading = null;
  };

  /** Chooses a value, or no longer. Values of one field are alternatives. */
  readonly toggle = (name: string, value: FacetValue): void => {
    const before = this.chosen[name] ?? [];
    const values = before.includes(value) ? before.filter((one) => one !== value) : [...before, value];
    this.choose({ ...this.chosen, [name]: values });
  };

  readonly clear = (): void => {
    this.choose({});
  };

  /** Counts anew, for example after an upload. */
  readonly reload = (): Promise<void> => this.load();

  private choose(chosen: Chosen): void {
    this.chosen = chosen;
    const facets = this.state.facets.map((facet) => ({
      ...facet,
      values: facet.values.map((one) => ({ ...one, isChosen: this.isChosen(facet.name, one.value) })),
    }));
    this.update({ facets, filters: this.filters() });
    void this.load();
  }

  private async load(): Promise<void> {
    this.loading?.abort();
    const loading = new AbortController();
    this.loading = loading;
    const { signal } = loading;
    const { fields, filters: _, ...selection } = this.options;
    this.update({ isLoading: true });
    try {
      const names = fields ?? (await this.names({ ...selection, signal }));
      const facets = await Promise.all(
        names.map(async (name): Promise<Facet> => {
          const counted = { ...selection, filters: this.filters(name), signal };
          const { values } = await this.client.metadata.values(name, counted);
          return {
            name,
            values: values.map(({ value, count }) => ({
              value,
              count,
              isChosen: this.isChosen(name, value),
            })),
          };
        }),
      );
      if (!signal.aborted) this.update({ facets, isLoading: false, error: null });
    } catch (error) {
      if (!signal.aborted) this.update({ isLoading: false, error });
    }
  }

  private async names(selection: Parameters<LecternClient['metadata']['fields']>[0]): Promise<string[]> {
    const counted = { ...selection, filters: this.options.filters ?? {}, limit: FIELDS };
    const { fields } = await this.client.metadata.fields(counted);
    return fields.map(({ name }) => name);
  }

  private isChosen(name: string, value: FacetValue): boolean {
    return this.chosen[name]?.includes(value) ?? false;
  }

  /** @param except the field whose own choice does not count, so that its other values can be chosen too */
  private filters(except?: string): Readonly<Record<string, unknown>> {
    const chosen = Object.entries(this.chosen)
      .filter(([name, values]) => name !== except && values.length > 0)
      .map(([name, values]) => ({ [name]: { $in: values } }));
    const { filters } = this.options;
    const all = filters === undefined ? chosen : [filters, ...chosen];
    return all.length < 2 ? (all[0] ?? {}) : { $and: all };
  }
}
