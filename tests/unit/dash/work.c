#include "dash/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/thread.h"
#include "mirror/cancel_token.h"

#define ASKERS 64

/* The event that the threads wait for, and what they have done. */
static struct play {
	pthread_mutex_t lock;
	pthread_cond_t turn;
	/* the threads compute nothing until it is released, or until all clients have left */
	bool is_held;
	unsigned begun;
	unsigned made;
	unsigned given_up;
	unsigned done;
} play = { .lock = PTHREAD_MUTEX_INITIALIZER, .turn = PTHREAD_COND_INITIALIZER };

/* The letter of which its answer is. */
struct person {
	struct dash_asker asker;
	struct dash_answer answer;
	char letter;
	int status;
	bool is_partial;
	atomic_bool is_gone;
	atomic_uint looked_for;
	unsigned done;
};
static struct person people[ASKERS];

static struct person *person_of(const struct dash_asker *asker)
{
	return PL_CONTAINER_OF(asker, struct person, asker);
}

/* Call it under the lock. False: no client waits. */
static bool is_let_go(struct mirror_cancel_token *cancel_token)
{
	while (play.is_held) {
		struct timespec due = pl_clock_timespec(pl_clock_now_ns() + PL_NS_PER_MS);
		pthread_mutex_unlock(&play.lock);
		bool has_left = cancel_token->has_left(cancel_token);
		pthread_mutex_lock(&play.lock);
		if (has_left)
			return false;
		if (play.is_held)
			pthread_cond_clockwait(&play.turn, &play.lock, CLOCK_MONOTONIC, &due);
	}
	return true;
}

static void make(struct dash_asker *asker, struct mirror_cancel_token *cancel_token)
{
	struct person *person = person_of(asker);

	pthread_mutex_lock(&play.lock);
	play.begun++;
	pthread_cond_broadcast(&play.turn);
	bool is_made = is_let_go(cancel_token);
	play.made += is_made;
	play.given_up += !is_made;
	pthread_mutex_unlock(&play.lock);
	if (!is_made) {
		person->answer.status = 503;
		return;
	}
	person->answer.status = person->status;
	person->answer.is_partial = person->is_partial;
	dash_answer_bytes(&person->answer, "text/plain", pl_strndup(&person->letter, 1), 1);
}

static void done(struct dash_asker *asker)
{
	pthread_mutex_lock(&play.lock);
	person_of(asker)->done++;
	play.done++;
	pthread_cond_broadcast(&play.turn);
	pthread_mutex_unlock(&play.lock);
}

static bool is_gone(const struct dash_asker *asker)
{
	person_of(asker)->looked_for++;
	return person_of(asker)->is_gone;
}

static struct dash_work *start(unsigned threads, size_t room)
{
	const struct dash_work_options options = { .threads = threads,
						   .room = room,
						   .cache_bytes = 100000,
						   .make = make,
						   .done = done,
						   .is_gone = is_gone };
	struct dash_work *work = NULL;
	struct pl_err err = PL_ERR_INIT;

	play.is_held = true;
	play.begun = play.made = play.given_up = play.done = 0;
	memset(people, 0, sizeof(people));
	for (size_t i = 0; i < ASKERS; i++)
		people[i] = (struct person){ .letter = (char)('A' + i),
					     .status = 200,
					     .asker.answer = &people[i].answer };
	assert_int_equal(dash_work_start(&options, &work, &err), 0);
	return work;
}

/* Waits until as many jobs have started, and as many are done, as given. */
static void wait_for(unsigned begun, unsigned done_count)
{
	pthread_mutex_lock(&play.lock);
	while (play.begun < begun || play.done < done_count)
		pthread_cond_wait(&play.turn, &play.lock);
	pthread_mutex_unlock(&play.lock);
}

static void let_go(void)
{
	pthread_mutex_lock(&play.lock);
	play.is_held = false;
	pthread_cond_broadcast(&play.turn);
	pthread_mutex_unlock(&play.lock);
}

static void end(struct dash_work *work)
{
	dash_work_stop(work);
	dash_work_free(work);
	for (size_t i = 0; i < ASKERS; i++)
		dash_answer_done(&people[i].answer);
}

static char letter_of(const struct dash_answer *answer)
{
	assert_int_equal(answer->len, 1);
	return answer->shared != NULL ? answer->shared->bytes[0] : answer->bytes[0];
}

static void test_dash_work__the_same_is_made_once(void **state)
{
	struct dash_work *work = start(2, 8);
	auto_answer retained = { 0 };

	(void)state;
	/* while it waits, and while it is being made; also more of them than the queue has room for */
	for (size_t i = 0; i < 20; i++) {
		assert_true(dash_work_add(work, 1, "same", &people[i].asker));
		if (i == 10)
			wait_for(1, 0);
	}
	assert_true(dash_work_add(work, 2, "same", &people[20].asker));
	assert_true(dash_work_add(work, 1, NULL, &people[21].asker));
	assert_true(dash_work_add(work, 1, NULL, &people[22].asker));
	let_go();
	wait_for(4, 23);
	assert_int_equal(play.made, 4);
	for (size_t i = 0; i < 23; i++) {
		assert_int_equal(people[i].done, 1);
		assert_int_equal(people[i].answer.status, 200);
		assert_int_equal(letter_of(&people[i].answer), i < 20 ? 'A' : 'A' + (int)i);
	}
	assert_true(dash_work_find(work, 2, "same", &retained));
	assert_int_equal(letter_of(&retained), 'A' + 20);
	end(work);
}

static void test_dash_work__a_failure_goes_to_all_and_is_not_cached(void **state)
{
	struct dash_work *work = start(1, 8);
	auto_answer retained = { 0 };

	(void)state;
	people[0].status = 422;
	assert_true(dash_work_add(work, 1, "same", &people[0].asker));
	assert_true(dash_work_add(work, 1, "same", &people[1].asker));
	let_go();
	wait_for(1, 2);
	assert_int_equal(people[1].answer.status, 422);
	assert_int_equal(letter_of(&people[1].answer), 'A');
	assert_false(dash_work_find(work, 1, "same", &retained));
	/* nor what may be more the next time */
	people[2].is_partial = true;
	assert_true(dash_work_add(work, 1, "part", &people[2].asker));
	wait_for(2, 3);
	assert_false(dash_work_find(work, 1, "part", &retained));
	end(work);
}

static void test_dash_work__a_full_queue_takes_none(void **state)
{
	struct dash_work *work = start(1, 3);

	(void)state;
	assert_true(dash_work_add(work, 1, "0", &people[0].asker));
	wait_for(1, 0);
	assert_true(dash_work_add(work, 1, "1", &people[1].asker));
	assert_true(dash_work_add(work, 1, "2", &people[2].asker));
	assert_true(dash_work_add(work, 1, "3", &people[3].asker));
	assert_false(dash_work_add(work, 1, "4", &people[4].asker));
	/* what waits already takes no more room */
	assert_true(dash_work_add(work, 1, "3", &people[5].asker));
	let_go();
	wait_for(4, 5);
	assert_int_equal(people[4].done, 0);
	assert_true(dash_work_add(work, 1, "4", &people[4].asker));
	wait_for(5, 6);
	end(work);
}

static void test_dash_work__nothing_is_computed_after_all_left(void **state)
{
	struct dash_work *work = start(1, 8);

	(void)state;
	assert_true(dash_work_add(work, 1, "0", &people[0].asker));
	wait_for(1, 0);
	people[1].is_gone = people[2].is_gone = true;
	assert_true(dash_work_add(work, 1, "gone", &people[1].asker));
	assert_true(dash_work_add(work, 1, "one is present", &people[2].asker));
	assert_true(dash_work_add(work, 1, "one is present", &people[3].asker));
	let_go();
	wait_for(2, 4);
	assert_int_equal(people[1].answer.status, 503);
	assert_int_equal(people[1].answer.retry_s, 1);
	assert_int_equal(people[3].answer.status, 200);
	assert_int_equal(play.made, 2);
	end(work);
}

static void test_dash_work__what_all_have_left_is_given_up(void **state)
{
	struct dash_work *work = start(1, 8);
	auto_answer retained = { 0 };

	(void)state;
	assert_true(dash_work_add(work, 1, "same", &people[0].asker));
	wait_for(1, 0);
	assert_true(dash_work_add(work, 1, "same", &people[1].asker));
	/* the one who began it, and then the last */
	people[0].is_gone = true;
	people[1].is_gone = true;
	wait_for(1, 2);
	assert_int_equal(play.given_up, 1);
	assert_int_equal(people[1].asker.end, DASH_WORK_GIVEN_UP);
	assert_false(dash_work_find(work, 1, "same", &retained));
	/* and who asks it now has it made */
	assert_true(dash_work_add(work, 1, "same", &people[2].asker));
	wait_for(2, 2);
	let_go();
	wait_for(2, 3);
	assert_int_equal(people[2].answer.status, 200);
	assert_int_equal(people[2].asker.end, DASH_WORK_MADE);
	assert_int_equal(play.made, 1);
	end(work);
}

static void test_dash_work__a_waiting_client_gets_the_answer_of_one_that_left(void **state)
{
	struct dash_work *work = start(1, 8);

	(void)state;
	assert_true(dash_work_add(work, 1, "same", &people[0].asker));
	wait_for(1, 0);
	assert_true(dash_work_add(work, 1, "same", &people[1].asker));
	people[0].is_gone = true;
	for (unsigned before = people[1].looked_for; people[1].looked_for < before + 4;)
		pl_clock_sleep_until(pl_clock_now_ns() + PL_NS_PER_MS);
	let_go();
	wait_for(1, 2);
	assert_int_equal(people[1].answer.status, 200);
	assert_int_equal(letter_of(&people[1].answer), 'A');
	assert_int_equal(play.made, 1);
	assert_int_equal(play.given_up, 0);
	end(work);
}

static void test_dash_work__those_who_left_take_no_room(void **state)
{
	struct dash_work *work = start(1, 3);

	(void)state;
	assert_true(dash_work_add(work, 1, "0", &people[0].asker));
	wait_for(1, 0);
	for (size_t i = 1; i <= 3; i++)
		assert_true(dash_work_add(work, 1, NULL, &people[i].asker));
	assert_false(dash_work_add(work, 1, NULL, &people[4].asker));
	people[1].is_gone = people[3].is_gone = true;
	/* they are answered before any work, and those after them keep their order */
	assert_true(dash_work_add(work, 1, NULL, &people[4].asker));
	assert_int_equal(play.done, 2);
	assert_int_equal(people[1].answer.status, 503);
	assert_int_equal(people[1].asker.end, DASH_WORK_DROPPED);
	assert_true(dash_work_add(work, 1, NULL, &people[5].asker));
	assert_false(dash_work_add(work, 1, NULL, &people[6].asker));
	let_go();
	wait_for(4, 6);
	assert_int_equal(play.made, 4);
	end(work);
}

static void *stop(void *work)
{
	dash_work_stop(work);
	return NULL;
}

static void test_dash_work__a_stop_answers_all(void **state)
{
	struct dash_work *work = start(2, 8);
	struct pl_err err = PL_ERR_INIT;
	pthread_t stopper;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		assert_true(dash_work_add(work, 1, NULL, &people[i].asker));
	wait_for(2, 0);
	assert_int_equal(pl_thread_start(&stopper, stop, work, &err), 0);
	/* at some point no more work is accepted */
	size_t taken = 6;
	while (taken < ASKERS && dash_work_add(work, 1, "same", &people[taken].asker))
		taken++;
	let_go();
	pthread_join(stopper, NULL);
	assert_false(dash_work_add(work, 1, NULL, &people[ASKERS - 1].asker));
	assert_int_equal(play.done, taken);
	for (size_t i = 0; i < taken; i++) {
		assert_int_equal(people[i].done, 1);
		assert_true(people[i].answer.status == 200 || people[i].answer.status == 503);
	}
	assert_in_range(play.made, 2, 7);
	dash_work_free(work);
	for (size_t i = 0; i < ASKERS; i++)
		dash_answer_done(&people[i].answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dash_work__the_same_is_made_once),
		cmocka_unit_test(test_dash_work__a_failure_goes_to_all_and_is_not_cached),
		cmocka_unit_test(test_dash_work__a_full_queue_takes_none),
		cmocka_unit_test(test_dash_work__nothing_is_computed_after_all_left),
		cmocka_unit_test(test_dash_work__what_all_have_left_is_given_up),
		cmocka_unit_test(test_dash_work__a_waiting_client_gets_the_answer_of_one_that_left),
		cmocka_unit_test(test_dash_work__those_who_left_take_no_room),
		cmocka_unit_test(test_dash_work__a_stop_answers_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
