export type { SqlMigration } from './migrations.ts'
export { DEFAULT_TABLE } from './tables.ts'
