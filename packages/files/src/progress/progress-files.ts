import { systemClock, type CallOptions, type Clock, type Tool } from '@keepsake/core'
import { changeFile } from '../change-file.ts'
import { failure, inReview, ok } from '../failures.ts'
import { markable } from '../file-sources.ts'
import type { Files, Result } from '../files.ts'
import { readFeatures, toFeature, writeFeatures, type Feature } from './features.ts'
import { progressPrompt } from './progress-prompt.ts'
import { progressTools } from './progress-tools.ts'

export interface CheckOutcome {
  passed: boolean
  /** What it said, in short: the model is told. */
  detail?: string
}

export interface ProgressOptions {
  /** Where the four files lie. Default `/progress`. */
  directory?: string
  /** Runs the check of a feature: a test, a command, whatever your work needs. What it throws is a check that failed. */
  runCheck: (feature: Feature, options: CallOptions) => Promise<CheckOutcome>
  /** Lines of the log that are shown, the newest. Default 30. */
  shownLogLines?: number
  /** Time. Default: the process's. */
  clock?: Clock
}

export type ProgressToolName = 'log_progress' | 'set_next' | 'add_feature' | 'check_feature' | 'write_start_script'

/** Of the calls that write. */
export interface ProgressCallOptions extends CallOptions {
  /** What was read for it that is not to be trusted: `untrusted` of a tool's options. */
  sources?: readonly string[] | undefined
}

/** Where long work stands: what was done, what is next, what must hold, and how to start. */
export interface ProgressFiles {
  /** Adds a line to `log.md`, with the time. */
  log(text: string, options?: ProgressCallOptions): Promise<Result<void>>
  /** Replaces `next.md`: what the next session begins with. */
  setNext(text: string, options?: ProgressCallOptions): Promise<Result<void>>
  /** Replaces `start.sh`: how the environment is started. It is shown, and run by nobody here. */
  writeStartScript(script: string, options?: ProgressCallOptions): Promise<Result<void>>
  /** Adds to `features.json`. An id that is there: `exists`. */
  addFeature(
    feature: Pick<Feature, 'id' | 'description' | 'check'>,
    options?: ProgressCallOptions,
  ): Promise<Result<void>>
  /** Runs the check of a feature and keeps what came of it. An unknown id: `not_found`. */
  checkFeature(id: string, options?: ProgressCallOptions): Promise<Result<Feature>>
  /** All features, in the order in which they were added. */
  features(options?: CallOptions): Promise<Result<Feature[]>>
  /** The section for the system message, below the heading `## Progress`. */
  prompt(options?: CallOptions): Promise<string>
  /** The same as plain AI SDK tools. */
  readonly tools: Record<ProgressToolName, Tool>
}

/**
 * Progress files for work that outlives a context window: each session reads where the last one stopped, and leaves the
 * same for the next. A feature passes only by its check: the file has no field to claim it, and another check makes an old
 * result void. Give an agent that has file tools too no right to write the directory (`withPermissions`).
 *
 * What our agent's model writes after it read something untrusted puts the file in quarantine: it is not shown until it is
 * approved, and checks that stand in it are not run.
 *
 * Several sessions may work at once: every line of the log and every feature is kept.
 *
 * ```ts
 * const progress = progressFiles(files, { runCheck: async ({ check }) => ({ passed: await run(check) }) })
 * await generateText({ model, instructions: await progress.prompt(), prompt: 'Go on.', tools: progress.tools })
 * ```
 */
export function progressFiles(files: Files, options: ProgressOptions): ProgressFiles {
  const { runCheck, shownLogLines = 30 } = options
  const clock = options.clock ?? systemClock()
  const directory = (options.directory ?? '/progress').replace(/\/+$/, '')
  const paths = {
    log: `${directory}/log.md`,
    next: `${directory}/next.md`,
    start: `${directory}/start.sh`,
    features: `${directory}/features.json`,
  }

  type Stored = Extract<ReturnType<typeof readFeatures>, { ok: true }>['value']
  async function changeFeatures(
    change: (features: Stored) => Result<Stored>,
    callOptions: ProgressCallOptions,
  ): Promise<Result<void>> {
    const whole = (text: string): Result<string> => {
      const features = readFeatures(text)
      const changed = features.ok ? change(features.value) : features
      return changed.ok ? ok(writeFeatures(changed.value)) : changed
    }
    return nothing(await changeFile(files, paths.features, whole, callOptions))
  }

  async function readText(path: string, callOptions: CallOptions): Promise<Result<string>> {
    const file = await files.read(path, callOptions)
    if (file.ok) return file.value.quarantined ? inReview(path) : ok(file.value.content)
    return file.code === 'not_found' ? ok('') : file
  }

  async function replace(path: string, text: string, callOptions: ProgressCallOptions): Promise<Result<void>> {
    return markable(files, path, callOptions.sources) ?? nothing(await files.write(path, text, callOptions))
  }

  const progress: Omit<ProgressFiles, 'tools'> = {
    async log(text, callOptions = {}) {
      const line = `- ${new Date(clock.nowMs()).toISOString()} ${text.replaceAll(/\s+/g, ' ').trim()}\n`
      const append = (log: string): Result<string> => ok(`${log}${log === '' || log.endsWith('\n') ? '' : '\n'}${line}`)
      return nothing(await changeFile(files, paths.log, append, callOptions))
    },

    setNext: (text, callOptions = {}) => replace(paths.next, text, callOptions),

    writeStartScript: (script, callOptions = {}) => replace(paths.start, script, callOptions),

    addFeature: ({ id, description, check }, callOptions = {}) =>
      changeFeatures(
        (features) =>
          features.some((feature) => feature.id === id)
            ? failure('exists', `there is a feature ${JSON.stringify(id)} already`)
            : ok([...features, { id, description, check }]),
        callOptions,
      ),

    async checkFeature(id, callOptions = {}) {
      const all = await progress.features(callOptions)
      if (!all.ok) return all
      const feature = all.value.find((one) => one.id === id)
      if (feature === undefined) return unknownFeature(id)
      const { check } = feature
      const outcome = await outcomeOf(runCheck, feature, callOptions)
      const result = { check, passed: outcome.passed, atMs: clock.nowMs(), ...detailOf(outcome) }
      let checked: Feature | undefined
      const kept = await changeFeatures((features) => {
        const index = features.findIndex((one) => one.id === id)
        if (index === -1) return unknownFeature(id)
        const now = { ...features[index]!, result }
        checked = toFeature(now)
        return ok(features.with(index, now))
      }, callOptions)
      return kept.ok ? ok(checked!) : kept
    },

    async features(callOptions = {}) {
      const text = await readText(paths.features, callOptions)
      const features = text.ok ? readFeatures(text.value) : text
      return features.ok ? ok(features.value.map(toFeature)) : features
    },

    async prompt(callOptions = {}) {
      const [log, next, start, features] = await Promise.all([
        readText(paths.log, callOptions),
        readText(paths.next, callOptions),
        readText(paths.start, callOptions),
        progress.features(callOptions),
      ])
      return progressPrompt({ paths, log, next, start, features, shownLogLines })
    },
  }
  return { ...progress, tools: progressTools(progress) }
}

async function outcomeOf(
  runCheck: ProgressOptions['runCheck'],
  feature: Feature,
  options: CallOptions,
): Promise<CheckOutcome> {
  try {
    const outcome = await runCheck(feature, options)
    // Only a plain `true`: a check that says nothing has shown nothing.
    const passed: unknown = outcome?.passed
    return { ...outcome, passed: passed === true }
  } catch (error) {
    options.signal?.throwIfAborted()
    return { passed: false, detail: error instanceof Error ? error.message : 'the check failed' }
  }
}

function detailOf({ detail }: CheckOutcome): { detail?: string } {
  return detail === undefined ? {} : { detail: detail.slice(0, 2_000).toWellFormed() }
}

function unknownFeature(id: string): Result<never> {
  return failure('not_found', `there is no feature ${JSON.stringify(id)}`)
}

function nothing(result: Result<unknown>): Result<void> {
  return result.ok ? ok(undefined) : result
}
