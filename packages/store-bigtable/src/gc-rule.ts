import type { protos } from '@google-cloud/bigtable'

type GcRule = protos.google.bigtable.admin.v2.IGcRule

/**
 * Whether a family's garbage collection could take cells of current rows. Ours have the timestamp 0, so any rule by age
 * would take all of them; a rule by versions takes none, as there is one version.
 *
 * https://cloud.google.com/bigtable/docs/garbage-collection
 */
export function collectsCurrentCells(rule: GcRule | null | undefined): boolean {
  if (rule?.maxAge) return true
  // A union collects what any of its rules would, an intersection what all of them would.
  if (rule?.union) return (rule.union.rules ?? []).some(collectsCurrentCells)
  const all = rule?.intersection?.rules ?? []
  return all.length > 0 && all.every(collectsCurrentCells)
}
