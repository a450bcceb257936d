/** What the store does about devices, phones and what their links remember. */

import type { DeviceStore } from '../../core/devices/device-store.ts'
import type { VaultStore } from '../../core/devices/vault.ts'
import type { Ground } from '../engine/ground.ts'
import * as devices from './devices.ts'
import { enrol } from './enrolments.ts'
import * as phones from './phones.ts'
import { presence } from './presence.ts'
import * as vault from './vault.ts'

export function deviceVerbs({ reader, now, run, write }: Ground): DeviceStore & VaultStore {
  return {
    enrol: (draft, keep) => run(enrol, draft, keep),
    change: ({ environmentId, id }, change) => run(devices.change, { environmentId, id, change }),
    retire: write(devices.retire),
    presence: (deviceId, node, online, only = {}) => run(presence, { deviceId, node, online, only }),
    devices: environmentId => devices.devices(reader, environmentId),
    allDevices: () => devices.allDevices(reader),
    loads: () => devices.loads(reader),
    devicesVersion: () => devices.devicesVersion(reader),
    describe: (deviceId, description) => run(devices.describe, { deviceId, description }),
    invite: (deviceId, invitation, keep) => run(phones.invite, { deviceId, invitation }, keep),
    mayAdmit: proof => phones.mayAdmit(reader, proof, now()),
    admit: (proof, tokenHash) => run(phones.admit, { proof, tokenHash }),
    notePhone: (deviceId, note) => run(phones.notePhone, { deviceId, note }),
    phones: () => phones.phones(reader),
    phoneByToken: tokenHash => phones.phoneByToken(reader, tokenHash),
    phoneByHook: hook => phones.phoneByHook(reader, hook, now()),
    vaultRead: (deviceId, type, ids) => vault.vaultRead(reader, deviceId, type, ids),
    vaultList: (deviceId, type, range) => vault.vaultList(reader, deviceId, type, range),
    vaultWrite: (deviceId, changes, epoch) => run(vault.vaultWrite, { deviceId, changes, epoch }),
    vaultReplace: (deviceId, changes, but, keep) => run(vault.vaultReplace, { deviceId, changes, but }, keep),
    vaultForget: (deviceId, forgotten, epoch) => run(vault.vaultForget, { ...forgotten, deviceId, epoch }),
  }
}
