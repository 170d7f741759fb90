import type { Edit } from './mutate.ts'
import type { Kind } from './settings.ts'

/** A way in which the engine could be wrong: an invariant of the protocol breaks, and a run must find it. */
export interface Mutant {
  name: string
  edits: readonly Edit[]
  /** The runs that look for it. */
  kind: Kind
}

/** The twelve that the protocol names. */
export const mutants: readonly Mutant[] = [
  {
    name: 'the head is written without its guard',
    edits: [
      {
        file: 'agent/src/engine/rows/head.ts',
        find: `const guard = write.over === 0 ? 'absent' : { seq: write.over }`,
        replace: `const guard = 'monotonic'`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'long-term memory is written before the decision',
    edits: [
      {
        file: 'agent/src/engine/run/decide.ts',
        find: `import { makePlan } from`,
        replace: `import { flushPlan, makePlan } from`,
      },
      {
        file: 'agent/src/engine/run/decide.ts',
        find: `  const moved = await keeper.move((at) => {`,
        replace: `  if (plan !== undefined) await flushPlan(ground, await ground.longterm(), plan)
  const moved = await keeper.move((at) => {`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'a journal entry overwrites the one that is there',
    edits: [
      {
        file: 'agent/src/engine/rows/journal.ts',
        find: `engineRow({ entity, key, value, nowMs, guard: 'absent', writeId }, s)
  const whole`,
        replace: `engineRow({ entity, key, value, nowMs, guard: 'monotonic', writeId }, s)
  const whole`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'the clean-up does not look at the epoch of commits',
    edits: [
      {
        file: 'agent/src/engine/clean-up.ts',
        find: `row.key === commitKey(expected)`,
        replace: `row.seq === expected.s`,
      },
    ],
    kind: 'activate',
  },
  {
    name: "the last event's row is written after the next claim",
    edits: [
      {
        file: 'agent/src/engine/claim.ts',
        find: `    },
    last,
  )
  if (moved === undefined) return undefined`,
        replace: `    },
  )
  if (moved === undefined) return undefined
  if (last.length > 0) await store.write(last)`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'the head has no write id',
    edits: [{ file: 'agent/src/engine/rows/head.ts', find: `guard, writeId: write.writeId }`, replace: `guard }` }],
    kind: 'activate',
  },
  {
    name: 'outside reads are not journaled',
    edits: [
      {
        file: 'agent/src/engine/run/journal-player.ts',
        find: `return scope.reads.size === 0 ? entry : { ...entry, reads: Object.fromEntries(scope.reads) }`,
        replace: `return entry`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'a monotonic row of the same version is stale',
    edits: [{ file: 'core/src/rows/guard.ts', find: `stored.seq <= write.seq`, replace: `stored.seq < write.seq` }],
    kind: 'puts',
  },
  {
    name: 'the metric is counted at the flush',
    edits: [
      {
        file: 'agent/src/engine/run/finish.ts',
        find: `if (plan !== undefined) await flushPlan(ground, await ground.longterm(), plan)`,
        replace: `if (plan !== undefined) {
    await flushPlan(ground, await ground.longterm(), plan)
    ground.options.count('keepsake.longterm.upserts', plan.rows.length)
  }`,
      },
      {
        file: 'agent/src/engine/run/finish.ts',
        find: `if (moved !== undefined && plan !== undefined) ground`,
        replace: `if (false) ground`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'a takeover keeps the epoch',
    edits: [
      {
        file: 'agent/src/engine/claim.ts',
        find: `{ ...active, owner: ground.owner, ep: seq, status: 'running', leaseEndsAtMs }`,
        replace: `{ ...active, owner: ground.owner, status: 'running', leaseEndsAtMs }`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'a call is found by what it asks alone',
    edits: [
      {
        file: 'agent/src/engine/run/journal-player.ts',
        find: `    const { scope, place, order } = takePlace(asked.scope)
    const found`,
        replace: `    const { scope, order } = takePlace(asked.scope)
    const place = { scope: asked.scope, ordinal: Number.parseInt(asked.hash.slice(0, 8), 16) }
    const found`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'working memory is wiped before it is flushed',
    edits: [
      {
        file: 'agent/src/engine/expiry/sweep.ts',
        find: `  if (options.onExpire !== undefined && blob.rows.size > 0) {`,
        replace: `  if (!(await withoutDue(ground, entity, read))) return false
  if (options.onExpire !== undefined && blob.rows.size > 0) {`,
      },
      {
        file: 'agent/src/engine/expiry/sweep.ts',
        find: `  if (!(await withoutDue(ground, entity, read))) return false
  await store.remove([due.row])`,
        replace: `  await store.remove([due.row])`,
      },
    ],
    kind: 'expiry',
  },
]

/** Ways to get wrong what agents add. */
export const agentMutants: readonly Mutant[] = [
  {
    name: 'reads cross the edge of a scope',
    edits: [
      {
        file: 'agent/src/engine/run/journal-player.ts',
        find: `await withReads(scope, { hash: asked.hash, order, ...made })`,
        replace: `asked.make === undefined ? { hash: asked.hash, order } : await withReads(scope, { hash: asked.hash, order, ...made })`,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'a retry keeps what was asked because of a failure',
    edits: [
      {
        file: 'agent/src/engine/run/copy-journal.ts',
        find: `one[1].order <= end && `,
        replace: ``,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'a thread shows turns that are not committed',
    edits: [{ file: 'core/src/chat/read-thread.ts', find: `if (!isSaid(mark, seq, expected)) continue`, replace: `` }],
    kind: 'activate',
  },
  {
    name: 'an edit has no name',
    edits: [
      {
        file: 'files/src/files-over.ts',
        find: `...(opId !== undefined && { opId: await opMark(opId) }),`,
        replace: ``,
      },
    ],
    kind: 'activate',
  },
  {
    name: 'the summary is not journaled',
    edits: [
      {
        file: 'agent/src/engine/run/attempt.ts',
        find: `await options.summarizer?.run(blob, entries, calls.callModel)`,
        replace: `await options.summarizer?.run(blob, entries, async (request) => ground.model!.doGenerate(request))`,
      },
    ],
    kind: 'activate',
  },
]

/** What an erasure beside writers can get wrong. */
export const erasureMutants: readonly Mutant[] = [
  {
    name: 'an erasure waits for nobody',
    edits: [
      {
        file: 'core/src/erasure/erase-from-store.ts',
        find: `if (found === 0 && (!first || graceMs === 0)) return`,
        replace: `if (found === 0 || first) return`,
      },
    ],
    kind: 'erasure',
  },
  {
    name: 'a directory row that another has just made is relied on',
    edits: [
      {
        file: 'core/src/lineage.ts',
        find: `if (result.status === 'applied' || result.seq === LISTED_SEQ) return []`,
        replace: `if (result.seq !== -1) return []`,
      },
    ],
    kind: 'erasure',
  },
  {
    name: 'an erasure that goes on keeps the versions of the one that was killed',
    edits: [
      {
        file: 'core/src/erasure/fence.ts',
        find: `isFenced(seq) ? seq! + 1 : FENCED_SEQ`,
        replace: `FENCED_SEQ`,
      },
    ],
    kind: 'erasure',
  },
]
