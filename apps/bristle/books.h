/* books.h: energy books, and when they are off by so much that nothing has been solved; asked at the end of a run, and of
 * what a recording holds. */
#ifndef BOOKS_H
#define BOOKS_H

#include <bristle/bristle.h>

typedef struct Books {
    double mass, weight; /* kg, N, of all that moves */
    double corrected;    /* J: what taking back overlaps put in until now */
    double most_kinetic; /* J, of all rows, without what errors made */
    double most_work;    /* J, of all rows, put in or taken out */
    BrEnergy last;
} Books;

/* Worst rates of joints that are a failure, in their tolerances, and the part of the turnover that the books may be off by. */
extern const double MANY_TOLERANCES, MUCH_ENERGY;

void weigh_bodies(Books *books, const BrModel *model);
/* At each row, once `corrected` is known. */
void note_books(Books *books, const BrEnergy *energy);
/* What they are off by, J, beside what taking back overlaps put in; and what was turned over. */
double find_defect(const Books *books);
double find_turnover(const Books *books);
/* Off by more than half of it; NaN too. */
bool are_off(const Books *books);

#endif
