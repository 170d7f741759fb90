export { createHistory, type History, type HistoryOptions } from './history.ts'
export type { Prepare, PrepareContext } from './prepare.ts'
export { window, type WindowOptions } from './window.ts'
