/**
 * What the store uses of a connection of `pg`, or of a client that is like it: only this much is needed, so that types of
 * `pg` are not.
 */
export interface PostgresClient {
  query(config: PostgresQuery): Promise<PostgresResult>
  on(event: 'error', listener: (error: Error) => void): unknown
  removeListener(event: 'error', listener: (error: Error) => void): unknown
  getTypeParser(oid: number, format?: 'text'): (text: string) => unknown
  /** `I`: outside a transaction. */
  getTransactionStatus(): string | null
  /** Whether statements are sent without waiting for the answers to those before. */
  readonly pipeline?: boolean
  /** The way to the server, to be broken off when it does not answer. */
  readonly connection?: { readonly stream?: { destroy(): unknown } }
}

export interface PostgresQuery {
  text: string
  rowMode: 'array'
  name?: string
  values?: unknown[]
  types?: { getTypeParser: (oid: number) => (text: string) => unknown }
}

export interface PostgresResult {
  rows: unknown[][]
  rowCount: number | null
}

export interface PostgresPoolClient extends PostgresClient {
  release(error?: Error | boolean): void
}

/** What the store uses of a `Pool` of `pg`. */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>
}

type TypeParsers = NonNullable<PostgresQuery['types']>

/** The type `bytea`: https://www.postgresql.org/docs/current/catalog-pg-type.html */
const BYTEA = 17

/**
 * What comes back, whatever the application has told `pg` to make of it: bytes and texts. Each row is taken apart when it
 * arrives, while the server sends the next.
 */
export function bytesAndTexts(client: PostgresClient): TypeParsers {
  return { getTypeParser: (oid) => (oid === BYTEA ? client.getTypeParser(BYTEA, 'text') : asText) }
}

/** The rows of a query that need not be fast, as texts. */
export async function select(
  client: PostgresClient,
  text: string,
  ...values: unknown[]
): Promise<(string | null | undefined)[][]> {
  const { rows } = await client.query({ text, values, rowMode: 'array', types: { getTypeParser: () => asText } })
  return rows as (string | null)[][]
}

function asText(text: string): string {
  return text
}
