/** Removes the characters that turn the direction of the text around them, which a name may contain. Arabic and Hebrew need none of them. */
export const withoutDirections = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '')
