import type { PostgresConnection } from './postgres-connections.ts'
import type { TransactionQueries } from './transaction.ts'

/** Within a transaction of the application, ours is a savepoint of it. */
export const postgresTransaction: TransactionQueries<PostgresConnection> = {
  begin: (connection) => command(connection, 'BEGIN', 'SAVEPOINT keepsake'),
  commit: (connection) => command(connection, 'COMMIT', 'RELEASE keepsake'),
  rollback: (connection) => command(connection, 'ROLLBACK', 'ROLLBACK TO keepsake; RELEASE keepsake'),
}

async function command({ client, nested }: PostgresConnection, text: string, nestedText: string): Promise<void> {
  await client.query({ text: nested ? nestedText : text, rowMode: 'array' })
}
