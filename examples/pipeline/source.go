package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/guregu/dynamo/v2"

	"github.com/plaza-sdk/plaza/examples/pipeline/hackathon"
	"github.com/plaza-sdk/plaza/ids"
)

const starWar, warCraft, pacMan = "StarWar", "WarCraft", "PacMan"

// source writes the main table, and remembers what must come of it.
type source struct {
	table dynamo.Table
	gen   ids.Source
	step  func(shown bool) // called after each write

	projects map[string]hackathon.Project // by Id
}

func project(id, name string, score int64, user string) hackathon.Project {
	return hackathon.Project{ID: id, MetaData: hackathon.MetaData{HackathonName: name}, Score: score, UserName: user}
}

// samples are the projects of the documentation.
func samples() []hackathon.Project {
	return []hackathon.Project{
		project("1", starWar, 60, "userA"), project("2", starWar, 90, "userB"),
		project("3", starWar, 70, "userC"), project("4", warCraft, 100, "userD"),
	}
}

func (s *source) put(ctx context.Context, p hackathon.Project) error {
	return s.write(ctx, p, func(map[string]types.AttributeValue) {})
}

// putText writes the score as an old client does: as text.
func (s *source) putText(ctx context.Context, p hackathon.Project) error {
	return s.write(ctx, p, func(item map[string]types.AttributeValue) {
		item["projectScore"] = &types.AttributeValueMemberS{Value: fmt.Sprint(p.Score)}
	})
}

func (s *source) write(ctx context.Context, p hackathon.Project, change func(map[string]types.AttributeValue)) error {
	id, err := s.gen.Next(ctx)
	if err != nil {
		return err
	}
	p.Version = uint64(id)
	item, err := dynamo.MarshalItem(p)
	if err != nil {
		return err
	}
	change(item)
	if err := s.table.Put(item).If("attribute_not_exists('version') OR 'version' < ?", p.Version).Run(ctx); err != nil {
		return fmt.Errorf("writing project %s: %w", p.ID, err)
	}
	before, ok := s.projects[p.ID]
	s.projects[p.ID] = p
	before.Version, before.URL = p.Version, p.URL // no board shows these
	s.step(!ok || before != p)
	return nil
}

func (s *source) remove(ctx context.Context, id string) error {
	if err := s.table.Delete("Id", id).Run(ctx); err != nil {
		return fmt.Errorf("deleting project %s: %w", id, err)
	}
	delete(s.projects, id)
	s.step(true)
	return nil
}

// play inserts n projects, and changes and deletes them at random.
func (s *source) play(ctx context.Context, n int) error {
	r := rand.New(rand.NewPCG(1, 1))
	fresh := func(id string) hackathon.Project {
		return project(id, []string{starWar, warCraft}[r.IntN(2)], r.Int64N(1000), "user "+id)
	}
	for i := range n {
		if err := s.put(ctx, fresh(fmt.Sprint("p", i))); err != nil {
			return err
		}
	}
	for range 2 * n {
		id := fmt.Sprint("p", r.IntN(n))
		p, ok := s.projects[id]
		var err error
		switch kind := r.IntN(10); {
		case !ok:
			err = s.put(ctx, fresh(id))
		case kind < 5:
			p.Score += 1 + r.Int64N(100)
			err = s.put(ctx, p)
		case kind < 6:
			p.MetaData.HackathonName = fresh(id).MetaData.HackathonName
			p.UserName += "!"
			err = s.put(ctx, p)
		case kind < 8:
			p.URL = fmt.Sprintf("https://example.com/%d", r.Uint32())
			err = s.put(ctx, p)
		default:
			err = s.remove(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// board returns what the board of a hackathon must show.
func (s *source) board(name string) (board []hackathon.Project) {
	for _, p := range s.projects {
		if p.MetaData.HackathonName == name {
			board = append(board, project(p.ID, name, p.Score, p.UserName))
		}
	}
	return board
}
