export { historyMiddleware } from './history-middleware.ts'
export { withHistory, type HistoryCall } from './with-history.ts'
export { withTemporaryThread } from './with-temporary-thread.ts'
