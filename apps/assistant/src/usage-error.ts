/** Something the person who typed the command can put right. Shown without a stack; the command exits with 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
