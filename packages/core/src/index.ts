export { KeepsakeError, throwIfAborted, type ErrorCode, type KeepsakeErrorOptions } from './errors.ts'
export {
  MAX_ENTITY_BYTES,
  MAX_KEY_BYTES,
  MAX_REC_BYTES,
  MAX_SEQ,
  type Bytes,
  type CallOptions,
  type Guard,
  type Range,
  type Row,
  type RowId,
  type RowStore,
  type RowWrite,
  type StoreLimits,
  type WriteResult,
} from './row-store.ts'
export { decideWrite, equalBytes, isSameWrite } from './guard.ts'
export { checkEntity, checkRange, checkRowIds, checkRowWrites } from './row-checks.ts'
export { compareUtf8, prefixEnd, utf8Length } from './utf8.ts'
export { decodeTuple, describeType, descending, encodeTuple, fromDescending, type Key } from './keys.ts'
export { createClock, systemClock, type Clock, type ClockOptions } from './clock.ts'
export { inMemoryStore } from './in-memory-store.ts'
export {
  chatMemory,
  type AppendOptions,
  type ChatMemory,
  type ChatMemoryOptions,
  type Thread,
  type ThreadOptions,
} from './chat-memory.ts'
export { records, type PutOptions, type Records, type RecordsOptions } from './records.ts'
export type { Entry } from './record-rows.ts'
export type { Filter } from './filter.ts'
export { decodeEnvelope, encodeEnvelope, type Envelope } from './envelope.ts'
export { normalise, type Storable } from './normalise.ts'
export { ownerEntity, subjectEntity, threadEntity, type Owner } from './owner.ts'
export { walkEntities, walkRows, type WalkOptions } from './walk-rows.ts'
export { migrateRows, type MigrateOptions, type MigrationEvent, type MigrationResult } from './migrate-rows.ts'
export { MIGRATION_ENTITY, migrationMark, type MigrationMark } from './migration-mark.ts'
export { compareStores, type CompareOptions, type StoreComparison } from './compare-stores.ts'
export { openStore, type StoreDriver } from './open-store.ts'
export { parseStoreUri, type StoreUri } from './store-uri.ts'
export { createListing, type Listing, type ListOptions, type Page } from './listing.ts'
export type {
  AnyMessage,
  ApprovalRequestPart,
  ApprovalResponsePart,
  CustomPart,
  FileData,
  FilePart,
  ImagePart,
  Message,
  ReasoningFilePart,
  ReasoningPart,
  Stored,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from './message.ts'
export type { Run, Tool, ToolOptions } from './tool.ts'
