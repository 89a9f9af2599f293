/* check-words: skip file (verse)
 * The text of the dataset sonnet without a file: poems written for this project.
 */
#pragma once

#define SONNET_LINES                                          \
	"The morning train arrives before the light,\n"       \
	"and sets its row of lamps along the sand.\n"         \
	"A keeper counts the boats that came at night\n"      \
	"and ties each rope with one unhurried hand.\n"       \
	"The harbor clock is seven minutes slow,\n"           \
	"yet no one in the market seems to mind.\n"           \
	"They sell the oranges in every row\n"                \
	"and weigh the coffee that they mean to grind.\n"     \
	"A boy runs by with letters in a sack,\n"             \
	"two dogs behind him and a third ahead.\n"            \
	"He waves at every window, and waves back\n"          \
	"at every face above the baker's bread.\n"            \
	"So starts the day, with small and certain things,\n" \
	"a door, a kettle, and a bird that sings.\n"          \
	"\n"                                                  \
	"The river keeps no record of its turns,\n"           \
	"it only moves the gravel down the hill.\n"           \
	"In spring it floods the meadow and the ferns,\n"     \
	"in August it lies flat and almost still.\n"          \
	"We built a bridge of timber and of stone\n"          \
	"and painted both its railings green and red.\n"      \
	"The carpenter would work on it alone\n"              \
	"whenever rain sent all of us to bed.\n"              \
	"He left his name in pencil on a beam,\n"             \
	"a date, a sum, the height of every pier,\n"          \
	"and wrote how many salmon climbed the stream\n"      \
	"the first warm weekend of the following year.\n"     \
	"The water rises, and the numbers stay,\n"            \
	"a little paler than the previous day.\n"             \
	"\n"                                                  \
	"My neighbor grows tomatoes by the gate\n"            \
	"and plays the radio from noon to four.\n"            \
	"She knows which buses will be running late\n"        \
	"and leaves a bowl of plums at every door.\n"         \
	"Her garden has a ladder and a shed,\n"               \
	"eleven roses and a wooden bench.\n"                  \
	"She reads the weather in a cloud of lead\n"          \
	"and digs, before it rains, a shallow trench.\n"      \
	"In winter, when the beds are under snow,\n"          \
	"she draws the rows again with colored ink,\n"        \
	"and plans how far apart the beans should go\n"       \
	"and which of all the roses should be pink.\n"        \
	"A garden is a letter to the spring,\n"               \
	"and patience is the stamp and paper string.\n"       \
	"\n"                                                  \
	"The lighthouse throws its circle on the bay,\n"      \
	"nine seconds dark, and then a second bright.\n"      \
	"The captain of the ferry learned to say\n"           \
	"the hour by the color of that light.\n"              \
	"He carried doctors, pianos, sheep and mail,\n"       \
	"a circus once, with camels and a band,\n"            \
	"and in the year of the enormous gale\n"              \
	"he brought the whole of one school back to land.\n"  \
	"His logbook has a line for every trip,\n"            \
	"the wind, the tide, the passengers, the load,\n"     \
	"the cracked propeller, and the dented lip\n"         \
	"of one steel hatch where forty barrels rode.\n"      \
	"He closed it on the evening he retired\n"            \
	"and said the sea was not what made him tired.\n"     \
	"\n"                                                  \
	"The mountain road has thirty-seven bends\n"          \
	"and at the last of them a telephone.\n"              \
	"It rings for travelers, and for their friends,\n"    \
	"and now and then it rings there on its own.\n"       \
	"A shepherd with a blanket round his coat\n"          \
	"once lifted the receiver out of fear.\n"             \
	"A distant voice, as if across a moat,\n"             \
	"inquired about the weather over here.\n"             \
	"He told it of the ice along the ridge,\n"            \
	"the hay that he had stored beneath the eaves,\n"     \
	"the fox that crossed the narrow wooden bridge\n"     \
	"and left its tidy prints among the leaves.\n"        \
	"They talked until the valley filled with gray,\n"    \
	"and neither asked the other one to stay.\n"          \
	"\n"                                                  \
	"The library is open after nine\n"                    \
	"with seven tables and a marble stair.\n"             \
	"A student copies slowly, line by line,\n"            \
	"a map of stars that are no longer there.\n"          \
	"The heating knocks, the ceiling lets in rain,\n"     \
	"a bucket marks the poets from the laws.\n"           \
	"A clerk repairs a window with a pane\n"              \
	"that he has wrapped in newspaper and gauze.\n"       \
	"At noon the reading room begins to glow\n"           \
	"and dust goes up like flour in a mill.\n"            \
	"The student turns a page, and far below\n"           \
	"a tram climbs past the chestnuts up the hill.\n"     \
	"There is no hurry in a quiet hall,\n"                \
	"the books outlast the plaster on the wall.\n"        \
	"\n"                                                  \
	"We measured all the orchard with a chain\n"          \
	"and wrote the count of trees upon a board.\n"        \
	"Then summer came, with very little rain,\n"          \
	"and half the apples fell into the ford.\n"           \
	"We gathered them in baskets and in hats\n"           \
	"and rolled the cider barrels up the lane,\n"         \
	"we chased away the starlings and the cats\n"         \
	"and measured all the orchard once again.\n"          \
	"The numbers differed only by a few,\n"               \
	"a pear tree and a plum that we had missed.\n"        \
	"We laughed and opened what was left to brew\n"       \
	"and added both of them below the list.\n"            \
	"To count a thing is one way to be kind,\n"           \
	"it keeps the smallest branches in the mind.\n"
