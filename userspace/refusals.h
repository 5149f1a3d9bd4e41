/* SPDX-License-Identifier: GPL-2.0-only */
/* Words that are no verbs here, and what to say to them. */
#ifndef MB_REFUSALS_H
#define MB_REFUSALS_H

/**
 * refusal_of - what to answer to a word that is no verb
 * @word: as typed where the verb should stand
 *
 * Return: the answer; NULL for a word that nobody would expect.
 */
const char *refusal_of(const char *word);

#endif /* MB_REFUSALS_H */
