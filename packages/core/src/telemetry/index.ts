export { withTelemetry, type TelemetryOptions } from './with-telemetry.ts'
