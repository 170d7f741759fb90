/** A name for a table or the like that no other run uses at the same time. */
export function ownName(what: string): string {
  return `keepsake_bench_${process.pid}_${what}`
}
