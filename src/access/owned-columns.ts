/** Options of a TypeORM column that the database computes from other columns of the row. */
export function computed(asExpression: string) {
  return { insert: false, update: false, generatedType: 'STORED', asExpression } as const;
}
