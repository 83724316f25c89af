/* desk.h: memory of what an island is solved on (BriDesk): one for each thread that solves some. */
#ifndef BRI_DESK_H
#define BRI_DESK_H

#include "contact/contact.h"

/* A desk without room for a matrix. `piles`: islands of many rows may come to it. false: no memory. */
bool bri_desk_make(const BrModel *model, bool piles, BriDesk *desk);
/* Room for islands of so many rows, or of as many as have a matrix; what stood there is lost. */
bool bri_desk_make_room(const BrModel *model, const BriContacts *contacts, int rows, BriDesk *desk);
void bri_desk_release(const BrModel *model, BriDesk *desk);

#endif
