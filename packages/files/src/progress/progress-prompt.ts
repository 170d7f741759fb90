import type { Result } from '../files.ts'
import { escapeTags } from '../tag-escape.ts'
import { shownText } from '../text.ts'
import type { Feature } from './features.ts'

interface ProgressParts {
  paths: { log: string; next: string; start: string; features: string }
  log: Result<string>
  next: Result<string>
  start: Result<string>
  features: Result<readonly Feature[]>
  shownLogLines: number
}

const RULES = `Your work goes on over several sessions, each of which sees only this and the files. Begin with what is next. Work on one feature at a time; it passes by check_feature and by nothing else, so do not call it done before that. Before you stop, write what you did with log_progress and what comes next with set_next, and leave everything in a state from which anybody could go on.`

/** Where the work stands, for a session that knows nothing else. Parts that are not there yet are left out. */
export function progressPrompt({ paths, log, next, start, features, shownLogLines }: ProgressParts): string {
  const parts = [
    section(`What is next (${paths.next})`, next, (text) => shownText(text).trim()),
    section(`Features (${paths.features})`, features, featureLines),
    section(`Log, newest last (${paths.log})`, log, (text) => newestLines(shownText(text), shownLogLines)),
    section(`Start script (${paths.start})`, start, (text) => shownText(text).trim()),
  ].filter((part) => part !== '')
  const memory = parts.length === 0 ? 'Nothing yet: this is the first session.\n\n' : parts.join('')
  return `## Progress\n\n<agent_memory>\n${escapeTags(memory)}</agent_memory>\n\n${RULES}`
}

function section<T>(title: string, part: Result<T>, show: (value: T) => string): string {
  const text = part.ok ? show(part.value) : `[not loaded: ${part.message}]`
  return text === '' ? '' : `${title}:\n${text}\n\n`
}

function featureLines(features: readonly Feature[]): string {
  if (features.length === 0) return ''
  const lines = features.map(
    ({ id, description, passed, checkedAtMs }) =>
      `- [${passed ? 'x' : ' '}] ${id}: ${description}${passed || checkedAtMs === undefined ? '' : ' (its check failed)'}`,
  )
  const passing = features.filter(({ passed }) => passed).length
  return [`${passing} of ${features.length} pass.`, ...lines].join('\n')
}

function newestLines(text: string, count: number): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const hidden = Math.max(0, lines.length - count)
  const shown = lines.slice(hidden).join('\n')
  return hidden === 0 ? shown : `[${hidden} earlier lines are not shown]\n${shown}`
}
