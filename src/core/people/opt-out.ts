/** People who want no messages, and the words by which they say so. */

import { hash } from 'node:crypto'

export type OptOut = {
  /** Null once the person was forgotten: only the digest is left. */
  number: string | null
  digest: string
  /** How it came about. */
  source: OptOutSource
  createdAt: number
}
export type OptOutSource = 'message' | 'api' | 'command line'

/** Newest first, those before the one named. */
export type OptOutPage = {
  limit: number
  before?: { createdAt: number; digest: string }
  /** Only this one. */
  number?: string
}

/** By which a number is recognised, also when the number itself is forgotten. */
export const optOutDigest = (environmentId: number, number: string): string =>
  hash('sha256', `${environmentId} ${number}`, 'base64url')

/** In the most spoken languages. Whoever wants others sets them. */
export const usualOptOutWords: readonly string[] = [
  ...['stop', 'stop all', 'stopall', 'unsubscribe', 'cancel', 'end', 'quit', 'optout', 'opt out'],
  ...['停止', '退订', '退訂', '取消', 'td'],
  ...['रोकें', 'रोको', 'बंद', 'बंद करो', 'बंद करें', 'स्टॉप'],
  ...['alto', 'parar', 'baja', 'cancelar', 'basta'],
  ...['arrêt', 'arret', 'arrêter', 'arreter', 'désabonner', 'desabonner'],
  ...['توقف', 'إيقاف', 'ايقاف', 'إلغاء', 'الغاء', 'قف'],
  ...['বন্ধ', 'বন্ধ করুন', 'থামুন', 'থামো', 'স্টপ'],
  ...['pare', 'sair', 'descadastrar'],
  ...['стоп', 'отписаться', 'отмена', 'хватит'],
  ...['بند', 'بند کرو', 'بند کریں', 'روکیں', 'سٹاپ'],
  ...['berhenti', 'stopp', 'abmelden', '配信停止', '解除'],
]
export const usualOptInWords: readonly string[] = [
  ...['start', 'unstop', 'subscribe', 'resume', 'optin', 'opt in'],
  ...['开始', '開始', '订阅', '訂閱'],
  ...['शुरू', 'शुरू करें', 'चालू', 'स्टार्ट'],
  ...['iniciar', 'alta', 'comenzar'],
  ...['commencer', 'démarrer', 'demarrer', 'reprendre'],
  ...['ابدأ', 'ابدا', 'بدء', 'اشتراك'],
  ...['শুরু', 'শুরু করুন', 'চালু', 'স্টার্ট'],
  ...['começar', 'comecar', 'assinar'],
  ...['старт', 'начать', 'подписаться'],
  ...['شروع', 'شروع کریں', 'سٹارٹ'],
  ...['mulai', 'anmelden', '再開'],
]

export type OptOutWords = { optOutWords: readonly string[]; optInWords: readonly string[] }

/** As people compare words: without regard to case, and to how a letter with an accent was put together. */
export const plainWord = (word: string): string => word.trim().normalize('NFKC').toLowerCase()

/** What somebody means by a text: only if it is nothing but the word. */
export function wishOf(text: string, { optOutWords, optInWords }: OptOutWords): 'out' | 'in' | undefined {
  // No such word is longer, and texts may be.
  if (text.length > 200) return undefined
  const said = plainWord(text)
  if (said === '') return undefined
  if (optOutWords.some(word => plainWord(word) === said)) return 'out'
  return optInWords.some(word => plainWord(word) === said) ? 'in' : undefined
}
