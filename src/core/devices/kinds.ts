/** The kinds of devices, and what each can do. */

export const deviceKinds = ['android', 'whatsapp', 'simulated'] as const
export type DeviceKind = (typeof deviceKinds)[number]

export const drivers = ['linked', 'cloud'] as const
export type Driver = (typeof drivers)[number]

/** Above about 30 parts a minute Android asks the phone's owner for consent. */
export const defaultPerMinute: Record<DeviceKind, number | null> = {
  android: 20,
  whatsapp: null,
  simulated: null,
}

export const canSendMedia = (kind: DeviceKind): boolean => kind === 'whatsapp'
export const sendsSms = (kind: DeviceKind): boolean => kind !== 'whatsapp'
