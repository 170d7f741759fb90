/** What the store uses of a connection of `mysql2`: only this much is needed, so that its types are not. */
export interface MysqlClient {
  execute(query: MysqlQuery, callback: MysqlCallback): unknown
  query(query: MysqlQuery, callback: MysqlCallback): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  release(): void
  destroy(): void
  readonly config?: { typeCast?: unknown }
  /** The way to the server, to be broken off when it does not answer. */
  readonly stream?: { destroy(): unknown }
}

export interface MysqlQuery {
  sql: string
  // What `mysql2` declares for them.
  values?: any[]
  rowsAsArray: true
  nestTables: false
  typeCast: true | ((field: unknown, next: () => unknown) => unknown)
}

export type MysqlCallback = (error: Error | null, result: any) => void

/** What the store uses of a `Pool` of `mysql2`. */
export interface MysqlPool {
  getConnection(callback: (error: Error | null, connection: MysqlClient) => void): void
}

/** What a statement that returns no rows answers. */
export interface MysqlOutcome {
  affectedRows: number
  /** For a statement on several rows such as `Records: 3  Duplicates: 1  Warnings: 0`, in the server's language. */
  info: string
}

/** What the application has set for its pool must not change what comes back. */
function shaped({ config }: MysqlClient, sql: string, values: unknown[]): MysqlQuery {
  // A function for the pool is only overruled by another function, which is slower than none.
  const typeCast = typeof config?.typeCast === 'function' ? (_: unknown, next: () => unknown) => next() : true
  return { sql, values, rowsAsArray: true, nestTables: false, typeCast }
}

/** Runs a statement that each connection prepares once, and gives its rows. */
export function execute(client: MysqlClient, sql: string, values: unknown[]): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    client.execute(shaped(client, sql, values), (error, rows) => (error === null ? resolve(rows) : reject(error)))
  })
}

/** The same for a statement that returns no rows. */
export async function executeChange(client: MysqlClient, sql: string, values: unknown[]): Promise<MysqlOutcome> {
  // The count is a text where the application wants large numbers so.
  const header: unknown = await execute(client, sql, values)
  const { affectedRows, info } = header as { affectedRows: number | string; info: string }
  return { affectedRows: Number(affectedRows), info }
}

/** Runs a statement that need not be fast. */
export function query(client: MysqlClient, sql: string, ...values: unknown[]): Promise<unknown[][]> {
  return new Promise((resolve, reject) => {
    client.query(shaped(client, sql, values), (error, rows) => (error === null ? resolve(rows) : reject(error)))
  })
}
