export { approxTokens } from './approx-tokens.ts'
export { createHistory, type History, type HistoryOptions } from './history.ts'
export type { Prepare, PrepareContext, PrepareStep } from './prepare.ts'
export { recall, type RecallOptions } from './recall/recall.ts'
export { isRecalled } from './recall/recalled-message.ts'
export { window, type WindowOptions } from './window.ts'
export { tokenWindow, type TokenWindowOptions } from './token-window.ts'
export type { CountTokens } from './message-tokens.ts'
export { contentId } from './content-id.ts'
export type { OnError } from './report-failure.ts'
export { isInjected } from './injected.ts'
export { summarize, type SummarizeOptions } from './summaries/summarize.ts'
export { isSummary } from './summaries/summary-message.ts'
export { summaryPrompt, type SummaryRequest } from './summaries/summary-prompt.ts'
export type { ThreadSummary } from './summaries/thread-summaries.ts'
export {
  consolidator,
  type ConsolidatedMemory,
  type Consolidator,
  type ConsolidatorOptions,
} from './consolidation/consolidator.ts'
export {
  assembleContext,
  type AssembleContextOptions,
  type AssembledContext,
  type ContextItem,
  type ContextSection,
  type ContextSectionName,
} from './context/assemble-context.ts'
export { notesStore, type NotesPatch, type NotesStore } from './notes/notes-store.ts'
export { isNotes, notesMessage, notesSection, type WorkingNotes } from './notes/working-notes.ts'
export {
  episodes,
  episodeText,
  type Episode,
  type EpisodeOutcome,
  type Episodes,
  type StoredEpisode,
} from './episodes/episodes.ts'
export {
  plainEpisode,
  reflectWith,
  type FinishedRun,
  type Reflect,
  type ReflectWithOptions,
} from './episodes/reflect.ts'
export { reportFailure } from './report-failure.ts'
export { procedures, type Example, type Procedures, type Skill, type ToolUse } from './procedures/procedures.ts'
