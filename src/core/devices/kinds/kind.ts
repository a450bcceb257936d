/** What a device of one kind can do, and how it is treated. Whatever depends on the kind asks this record. */

import type { EnvironmentName } from '../../environment.ts'
import type { AttentionCode } from '../attention.ts'
import type { Safety } from '../sending-safety.ts'

/** How one is added: with its name alone, by an app on a phone, by linking it to a phone, or with credentials. */
export const waysToAdd = ['name', 'enrolment', 'linking', 'credentials'] as const
export type WayToAdd = (typeof waysToAdd)[number]

export type KindRecord = {
  /** As the API and the database call it. */
  name: string
  /** How it is reached, where one kind is reached in several ways; each has a record of its own. */
  driver: string | null
  /** The one that is meant where no driver is named, as in rows of older versions. */
  isUsual: boolean
  title: string
  /** For somebody who chooses what to add. */
  about: string
  environments: readonly EnvironmentName[]
  addedBy: WayToAdd
  /** What its limits count. */
  counts: 'sms_parts' | 'messages'
  /** So many SMS parts, or characters, a text may have. */
  longestText: number
  /** So many characters a text may have that goes with media; null: it cannot send media. */
  longestCaption: number | null
  /** What it may be handed in any 60 seconds unless somebody sets another limit; null: no limit. */
  perMinute: number | null
  /** Of numbers that are blocked when they send too eagerly: how carefully they send. */
  safety: Safety | null
  /** Its network says what its number is, and nobody can change it here. */
  hasFixedNumber: boolean
  /** What is to be done first with a new one. */
  firstAttention: readonly AttentionCode[]
}

export const sendsMedia = ({ longestCaption }: KindRecord): boolean => longestCaption !== null
