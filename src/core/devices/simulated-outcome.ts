/** What happens to a message in a simulated phone: the last four digits of the recipient choose, so that anyone can test. */

/** Milliseconds from the hand-over to each report. */
const sentMs = 50
const deliveredMs = 200
const lateMs = 30_000

/** When the recipient's answer comes, where there is one. */
export const answerMs = 1_000

export type SimulatedOutcome = { sent?: number; delivered?: number; failed?: number; answer?: string }

const outcomes: Record<string, SimulatedOutcome> = {
  '0001': { failed: 0 },
  '0002': { sent: sentMs },
  '0003': {},
  '0004': { sent: sentMs, delivered: lateMs },
  '0005': { sent: sentMs, delivered: deliveredMs, answer: 'PONG' },
  '0006': { sent: sentMs, delivered: deliveredMs, answer: 'STOP' },
}
const usual: SimulatedOutcome = { sent: sentMs, delivered: deliveredMs }

export const simulatedOutcome = (recipient: string): SimulatedOutcome =>
  outcomes[recipient.slice(-4)] ?? usual
