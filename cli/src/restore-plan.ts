interface Planned {
  readonly tenants: readonly {
    readonly appId: string;
    readonly shards: number;
    readonly rows: Readonly<Record<string, number>>;
    readonly files: number;
    readonly fileBytes: number;
    readonly keys: readonly {
      readonly id: string;
      readonly name: string;
      readonly permissions: string;
      readonly endUserId: string | null;
    }[];
  }[];
}

/** Characters that a terminal may obey instead of printing them. */
const CONTROL = /\p{Cc}/gu;

/** Lists what a restore would write: for each tenant its rows by table, its files, and each key with its rights. */
export function planLines({ tenants }: Planned): string {
  const lines = tenants.flatMap(({ appId, shards, rows, files, fileBytes, keys }) => [
    `tenant ${appId}, ${shards} ${shards === 1 ? 'part' : 'parts'}`,
    ...Object.entries(rows).map(([table, count]) => `  ${count} rows of ${table}`),
    `  ${files} files, ${fileBytes} bytes`,
    ...keys.map(({ id, name, permissions, endUserId }) => {
      return `  key ${id} "${name}" ${permissions} ${endUserId === null ? 'of no end user' : `of ${endUserId}`}`;
    }),
  ]);
  return lines.map((line) => `${line.replace(CONTROL, ' ')}\n`).join('');
}
