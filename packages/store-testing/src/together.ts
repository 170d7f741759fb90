/** Like Promise.all, but waits for all of them before the first failure is thrown: nothing goes on behind a case. */
export async function together<const T extends readonly Promise<unknown>[]>(
  tasks: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  await Promise.allSettled(tasks)
  return Promise.all(tasks)
}
