import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type { CallOptions, FacetOptions, MetadataFields, MetadataValues } from './types.js';

/** Names and values of the metadata, for the choices of a filter. */
export class Metadata {
  constructor(private readonly raw: Client<paths>) {}

  /** The fields with their types and counts, by name. */
  fields(options: FacetOptions = {}): Promise<MetadataFields> {
    const { query, call } = partsOf(options);
    return answered(this.raw.GET('/metadata/fields', { params: { query }, ...call }));
  }

  /** The values of a field with their counts, the most frequent first. */
  values(name: string, options: FacetOptions = {}): Promise<MetadataValues> {
    const { query, call } = partsOf(options);
    const params = { path: { name }, query };
    return answered(this.raw.GET('/metadata/fields/{name}/values', { params, ...call }));
  }
}

function partsOf({ filters, signal, ...rest }: FacetOptions): {
  readonly query: Omit<FacetOptions, 'filters' | 'signal'> & { readonly filters?: string };
  readonly call: CallOptions;
} {
  return {
    query: filters === undefined ? rest : { ...rest, filters: JSON.stringify(filters) },
    call: signal === undefined ? {} : { signal },
  };
}
