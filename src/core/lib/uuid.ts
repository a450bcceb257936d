const form = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Whether a text is a UUID in small letters, as ours are. */
export const isUuid = (text: string): boolean => form.test(text)
