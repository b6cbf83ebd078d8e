/** Abuse reports of feedback loops (RFC 5965). */
export { readFeedbackReport } from './feedback-report.ts';
