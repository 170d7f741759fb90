import type { AnyMessage, Message } from '@keepsake/core'

/** What an agent is doing: its goal, its plan and what it has found so far. Structured, where the conversation is raw. */
export interface WorkingNotes {
  currentGoal?: string
  planSteps?: readonly string[]
  /** Which of the steps is being done, from 0: those before it are done. Default 0. */
  currentStepIndex?: number
  intermediateResults?: Readonly<Record<string, string>>
  observations?: readonly string[]
  hypotheses?: readonly string[]
  blockedOn?: string | null
}

/** Working notes as a section of a prompt. Empty for notes that say nothing. Line breaks inside a note become spaces. */
export function notesSection(notes: WorkingNotes): string {
  const { currentGoal = '', planSteps = [], currentStepIndex = 0, intermediateResults = {} } = notes
  const { observations = [], hypotheses = [], blockedOn } = notes
  const plan = planSteps.map((step, index) => {
    const marker = index === currentStepIndex ? '>>>' : '   '
    const status = index < currentStepIndex ? 'DONE' : 'TODO'
    return `${marker} [${status}] Step ${index + 1}: ${inLine(step)}`
  })
  const results = Object.entries(intermediateResults).map(([key, value]) => `${inLine(key)}: ${inLine(value)}`)
  const sections = [
    block('Plan:', plan),
    list('Results So Far:', results),
    list('Observations:', observations),
    list('Hypotheses:', hypotheses),
    typeof blockedOn === 'string' && blockedOn !== '' ? `BLOCKED: ${inLine(blockedOn)}` : '',
  ].filter((section) => section !== '')
  if (currentGoal === '' && sections.length === 0) return ''
  return [`Current Goal: ${inLine(currentGoal)}`.trimEnd(), ...sections].join('\n\n')
}

function list(heading: string, items: readonly string[]): string {
  return block(
    heading,
    items.map((item) => `  - ${inLine(item)}`),
  )
}

function block(heading: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [heading, ...lines].join('\n')
}

function inLine(text: string): string {
  return text.replaceAll(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
}

const OPEN = '<working_notes>'
const CLOSE = '</working_notes>'
const HEADING = 'Current working memory:'

/**
 * Working notes as a message for the model alone: never stored. `undefined` for notes that say nothing. `untrusted` marks
 * what is made after reading them.
 */
export function notesMessage(notes: WorkingNotes, untrusted: readonly string[] = []): Message | undefined {
  const section = notesSection(notes)
  if (section === '') return undefined
  const safe = section.replaceAll(/<(?=\/?\s*working_notes)/gi, '&lt;')
  return {
    role: 'user',
    content: `${OPEN}\n${HEADING}\n${safe}\n${CLOSE}`,
    providerOptions: { keepsake: { notes: true } },
    ...(untrusted.length > 0 && { untrusted: [...untrusted] }),
  }
}

/** Whether a message holds working notes and nothing else: by its mark or, where that was lost, by its text. */
export function isNotes(message: AnyMessage): boolean {
  const { role, content, providerOptions } = message as {
    role: string
    content?: unknown
    providerOptions?: Message['providerOptions']
  }
  if (providerOptions?.['keepsake']?.['notes'] === true) return true
  if (role !== 'user' || typeof content !== 'string' || !content.startsWith(`${OPEN}\n${HEADING}\n`)) return false
  return content.indexOf(CLOSE) === content.length - CLOSE.length
}
