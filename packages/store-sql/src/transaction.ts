/** How a transaction begins and ends on a connection of one dialect's client. */
export interface TransactionQueries<C> {
  begin(connection: C): Promise<void>
  commit(connection: C): Promise<void>
  rollback(connection: C): Promise<void>
}

/** Does `work` whole or not at all. If rolling back fails too, the first error is the one that says why. */
export async function inTransaction<C, T>(
  queries: TransactionQueries<C>,
  connection: C,
  work: () => Promise<T>,
): Promise<T> {
  await queries.begin(connection)
  try {
    const result = await work()
    await queries.commit(connection)
    return result
  } catch (error) {
    await queries.rollback(connection).catch(() => {})
    throw error
  }
}

/**
 * The same for statements that do not depend on each other, in one round trip: all are sent at once. After a failure the
 * server refuses what follows and takes COMMIT as ROLLBACK, so the first failure is the one that says why.
 */
export async function inPipelinedTransaction<C, T>(
  queries: TransactionQueries<C>,
  connection: C,
  statements: readonly (() => Promise<T>)[],
): Promise<T[]> {
  const begun = queries.begin(connection)
  const sent = statements.map((send) => send())
  const [beginning, committing, ...answers] = await Promise.allSettled([begun, queries.commit(connection), ...sent])
  for (const outcome of [beginning, ...answers, committing]) if (outcome.status === 'rejected') throw outcome.reason
  return Promise.all(sent)
}
