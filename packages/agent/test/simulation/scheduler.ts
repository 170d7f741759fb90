import { perCent, type Choose } from './choices.ts'
import { Violation } from './violation.ts'

/** A worker process from its start to its crash. What it waits for is answered by the scheduler, or never. */
export interface Worker {
  /** Which process; after a crash another one has the same. */
  readonly index: number
  /** Of all that ever lived. */
  readonly id: number
  alive: boolean
  /** How far its wall clock is ahead. */
  readonly skewMs: number
}

/** Something that a worker waits for: it takes effect, in one part or several, and is answered later. */
interface Call {
  /** Nobody waits for what a dead worker had sent, nor for a duplicate. */
  who: Worker | undefined
  /** What is waited for, as the report counts it. */
  label: string
  /** One part of the effect. Says whether it was the last. */
  act(): Promise<boolean>
  answer(): void
  /** Whether it may still take effect when its sender is dead. */
  mayLandLate: boolean
}

export interface FaultRates {
  /** In 100 calls: how many are held up, before or after their effect. */
  holdPc: number
  /** Calls with this label are held up more often, and for long. */
  slow: string | undefined
  /** In 1,000 steps: how many crash a worker. */
  crashPm: number
  /** In 1,000 steps: how many let time jump. */
  jumpPm: number
  /** The longest jump, in milliseconds; of four, so many are longer by `farMs`. */
  jumpMs: number
  farIn4: number
  farMs: number
  /** Steps in a millisecond. */
  stepsPerMs: number
  /** Of how many calls with these labels one is crashed at before its effect, and one after. */
  targets: ReadonlyMap<string, number>
}

export interface Scheduler {
  readonly step: number
  /** At which step the oldest call was sent that is under way: also of dead workers, and of what arrives twice. */
  readonly waitedSince: number
  nowMs(): number
  /** Off: everything is answered, in order, and nobody crashes. */
  faults: boolean
  rates: FaultRates
  send(call: Call): void
  /** Calls `ring` at `atMs` of the workers' time, unless the worker is dead by then. Returns how to take it back. */
  timer(who: Worker, atMs: number, ring: () => void): () => void
  /** Lets time pass. */
  pass(ms: number): void
  /** Lets a worker die: what it waits for is never answered, and what it sent may still land. */
  crash(who: Worker): void
  /** Runs after every step, when all that could run has run. */
  afterStep: () => Promise<void>
  /** Until `done`, or until nothing is waited for. Throws `Violation` where that does not end. */
  run(done?: () => boolean, maxSteps?: number): Promise<void>
}

export interface SchedulerOptions {
  choose: Choose
  rates: FaultRates
  /** Dead workers leave calls behind; here are counted what they waited for. */
  onCrash: (who: Worker, waitedFor: readonly string[]) => void
  /** Told of everything that a worker begins to wait for. */
  onAwait: (label: string) => void
  trace?: ((line: string) => void) | undefined
}

interface Pending extends Call {
  heldUntil: number
  sentAt: number
  acted: boolean
}

interface Timer {
  who: Worker
  atMs: number
  ring: () => void
}

const MAX_CRASHES = 5
/** Those that are aimed may be more. */
const MAX_AIMED = 8
const MAX_CHOICES = 12
export const START_MS: number = Date.UTC(2026, 0, 1)
const immediate = globalThis.setImmediate

/**
 * A virtual event loop: of all calls that are under way and timers that are due it picks one after the other, so that
 * the same choices give the same run. Between two steps all that can run without an answer has run.
 */
export function createScheduler({ choose, rates, onCrash, onAwait, trace }: SchedulerOptions): Scheduler {
  let step = 0
  let now = START_MS
  let crashes = 0
  let pending: Pending[] = []
  let timers: Timer[] = []

  /** Until which step a call is held up. */
  function heldFor(label: string): number {
    if (!self.faults) return 0
    if (label === self.rates.slow && choose(2) === 1) return step + 50 + choose(400)
    return perCent(choose, self.rates.holdPc) ? step + 10 + choose(120) * [1, 1, 1, 4][choose(4)]! : 0
  }

  function drop(call: Pending): void {
    pending.splice(pending.indexOf(call), 1)
  }

  function crash(who: Worker): void {
    crashes++
    who.alive = false
    trace?.(`CRASH of worker ${who.index}.${who.id}`)
    const waitedFor: string[] = []
    const left: Pending[] = []
    for (const call of pending) {
      if (call.who !== who) {
        left.push(call)
        continue
      }
      waitedFor.push(call.label)
      if (call.mayLandLate && !call.acted && choose(2) === 1) {
        left.push({ ...call, who: undefined, answer: () => {}, heldUntil: step + choose(200) })
      }
    }
    for (const timer of timers) if (timer.who === who) waitedFor.push('timer')
    pending = left
    timers = timers.filter((timer) => timer.who !== who)
    // Often nobody notices for long.
    if (choose(3) > 0) now += self.rates.farMs
    onCrash(who, waitedFor)
  }

  /** Whether a crash is aimed at what this worker waits for, now. */
  function isTarget(who: Worker | undefined, label: string): boolean {
    if (!self.faults || who === undefined || crashes >= MAX_AIMED) return false
    const oneIn = self.rates.targets.get(label)
    return oneIn !== undefined && choose(oneIn) === oneIn - 1
  }

  async function take(call: Pending): Promise<void> {
    if (isTarget(call.who, call.label)) return crash(call.who!)
    if (!call.acted) {
      call.acted = await call.act()
      if (!call.acted) return
      if (isTarget(call.who, call.label)) return crash(call.who!)
      if (self.faults && call.who !== undefined && choose(3) === 2) {
        call.heldUntil = heldFor(call.label)
        return
      }
    }
    drop(call)
    call.answer()
  }

  function ring(timer: Timer): void {
    timers.splice(timers.indexOf(timer), 1)
    trace?.(`timer of worker ${timer.who.index}.${timer.who.id}`)
    if (isTarget(timer.who, 'timer')) {
      timers.push(timer)
      return crash(timer.who)
    }
    timer.ring()
  }

  function disturb(): boolean {
    if (!self.faults) return false
    const chance = choose(1000)
    if (chance >= 1000 - self.rates.crashPm && crashes < MAX_CRASHES) {
      const waiting = [...new Set([...pending, ...timers].flatMap(({ who }) => (who ? [who] : [])))]
      if (waiting.length > 0) crash(waiting[choose(waiting.length)]!)
      return true
    }
    if (chance >= 1000 - self.rates.crashPm - self.rates.jumpPm)
      now += 1 + choose(self.rates.jumpMs) + (choose(4) >= 4 - self.rates.farIn4 ? self.rates.farMs : 0)
    return false
  }

  /** Where nothing can go on: on to the next call that is held up, or to the next timer. */
  function skipAhead(): boolean {
    if (pending.length > 0) {
      step = Math.min(...pending.map((call) => call.heldUntil))
      return true
    }
    if (timers.length === 0) return false
    now = Math.max(now, Math.min(...timers.map((timer) => timer.atMs)))
    return true
  }

  const self: Scheduler = {
    get step() {
      return step
    },
    get waitedSince() {
      return Math.min(Infinity, ...pending.map(({ sentAt }) => sentAt))
    },
    nowMs: () => now,
    faults: true,
    rates,
    afterStep: () => Promise.resolve(),
    crash,

    pass(ms) {
      now += ms
    },

    send(call) {
      if (call.who?.alive === false) return
      if (call.who !== undefined) onAwait(call.label)
      pending.push({ ...call, acted: false, sentAt: step, heldUntil: heldFor(call.label) })
    },

    timer(who, atMs, ringIt) {
      const timer: Timer = { who, atMs, ring: ringIt }
      if (who.alive) {
        timers.push(timer)
        onAwait('timer')
      }
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },

    async run(done, maxSteps = 6000) {
      for (let n = 0; ; n++) {
        await new Promise<void>((resolve) => immediate(() => resolve()))
        await self.afterStep()
        if (done?.()) return
        if (n > maxSteps) throw new Violation('I10', `no end after ${maxSteps} steps`)
        step++
        if (step % self.rates.stepsPerMs === 0) now++
        if (disturb()) continue
        const calls = pending.filter((call) => call.heldUntil <= step).slice(0, MAX_CHOICES)
        const due = timers.filter((timer) => timer.atMs <= now).slice(0, MAX_CHOICES)
        if (calls.length + due.length === 0) {
          if (skipAhead()) continue
          return
        }
        const at = choose(Math.min(MAX_CHOICES, calls.length + due.length))
        if (at < calls.length) await take(calls[at]!)
        else ring(due[at - calls.length]!)
      }
    },
  }
  return self
}
