import type { Choose } from './choices.ts'
import { BRIEF, CENTRAL, LATE, RARE } from './labels.ts'
import type { FaultRates } from './scheduler.ts'
import type { StoreFaults } from './simulated-store.ts'

/** What a run is about: `mixed` is one of those with an engine; `puts` has none, and `erasure` a world of its own. */
export type Kind = 'activate' | 'inbox' | 'expiry' | 'compaction' | 'mixed' | 'puts' | 'erasure'

/** What is fixed during a run. */
export interface Setting {
  readonly kind: Exclude<Kind, 'mixed' | 'puts' | 'erasure'>
  readonly rates: FaultRates
  readonly storeFaults: StoreFaults
  readonly atomicBatch: boolean
  readonly separateLongterm: boolean
  readonly skewsMs: readonly number[]
  readonly leaseMs: number
  readonly waitMs: number
  readonly ttlMs: number | undefined
  readonly compaction: boolean
  /** Whether older items of lists become a summary, by a model call between the handler and the commit. */
  readonly summarizes: boolean
  /** Whether entities are threads, to which every event adds a turn, and which are read meanwhile. */
  readonly speaks: boolean
}

const LEASE_MS = 300

/** One run in so many fills working memory to its cap: those are slow. */
const COMPACTION_ONE_IN = 50

export function randomSetting(choose: Choose, given: Exclude<Kind, 'puts' | 'erasure'>): Setting {
  const kind = given === 'mixed' ? randomKind(choose) : given
  // In some runs everything is slow and time flies: workers that are taken for dead go on.
  const zombies = choose(3) === 2
  return {
    kind,
    rates: {
      holdPc: zombies ? 25 : [0, 3, 8, 15][choose(4)]!,
      crashPm: [0, 4, 10, 20][choose(4)]!,
      jumpPm: zombies ? 150 : 60,
      jumpMs: LEASE_MS + 80,
      farIn4: zombies ? 2 : 1,
      // Whoever sees a lease that ended a minute ago need not see it twice.
      farMs: 61_000,
      stepsPerMs: [8, 40][choose(2)]!,
      targets: randomTargets(choose, kind),
      slow: zombies ? [...CENTRAL, 'write journal'][choose(CENTRAL.length + 1)] : undefined,
    },
    storeFaults: {
      failPc: [0, 3, 8, 12][choose(4)]!,
      doublePc: [0, 0, 4, 10][choose(4)]!,
      maxFailures: 8,
    },
    atomicBatch: choose(2) === 0,
    separateLongterm: choose(2) === 1,
    skewsMs: [0, [0, 50, -50][choose(3)]!, [0, 120, -120][choose(3)]!],
    leaseMs: LEASE_MS,
    waitMs: [0, 2 * LEASE_MS][choose(2)]!,
    ttlMs: kind === 'expiry' ? 2 * LEASE_MS : undefined,
    compaction: kind === 'compaction',
    speaks: kind !== 'compaction' && choose(3) === 2,
    summarizes: kind !== 'compaction' && choose(2) === 1,
  }
}

function randomTargets(choose: Choose, kind: string): Map<string, number> {
  const targets = new Map([...RARE.map((label): [string, number] => [label, 2]), ...Object.entries(LATE)])
  for (const area of [kind, 'activate', ['edits', 'turns'][choose(2)]!]) {
    const brief = BRIEF[area] ?? []
    if (brief.length > 0 && choose(3) > 0) targets.set(brief[choose(brief.length)]!, 2)
  }
  if (choose(3) > 0) targets.set(CENTRAL[choose(CENTRAL.length)]!, 5)
  return targets
}

function randomKind(choose: Choose): Setting['kind'] {
  if (choose(COMPACTION_ONE_IN) === COMPACTION_ONE_IN - 1) return 'compaction'
  return (['activate', 'inbox', 'expiry'] as const)[choose(3)]!
}
