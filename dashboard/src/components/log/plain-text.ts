// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A log line without terminal colours and other characters that steer how it is shown. */
export const plainText = (line: string): string => line.replaceAll(escapes, '').replaceAll(controls, '');
